//! Measures commits per second of 1, 8 and 32 pushers, against bare durable writes to the disk.
//!
//! Each pusher commits to a repository of its own.
//!
//! `cargo bench -p tool-hub-registry-server --bench pushers`
//!
//! The other side does what no commit can do without: a new file that is synced with its directory,
//! and a transaction in SQLite that is synced, one after another as SQLite wants it. The ratio
//! tells how far the registry is from the disk.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot go on has failed"
)]

#[allow(dead_code, reason = "each benchmark uses a part")]
#[path = "support/support.rs"]
mod support;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use support::figures::median;
use support::process::processor_time;
use support::registry::{Server, file, header, run_if_asked};
use tokio::sync::Mutex;

const PUSHERS: [usize; 3] = [1, 8, 32];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const FILE_BYTES: usize = 4_000;

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(compare)
}

fn compare() -> ExitCode {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Arc::new(Server::start(&directory.path().join("registry"), None));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let disk = Arc::new(Disk::open(directory.path()).await);
        for pusher in 0..PUSHERS[PUSHERS.len() - 1] {
            server.create(&format!("repo-{pusher}")).await;
        }
        for pushers in PUSHERS {
            measure(&server, &disk, pushers).await;
        }
    });
    ExitCode::SUCCESS
}

async fn measure(server: &Arc<Server>, disk: &Arc<Disk>, pushers: usize) {
    let (mut our_rates, mut disk_rates, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = processor_time(server.id());
        let pushing = Arc::clone(server);
        let push = move |pusher, serial| {
            let server = Arc::clone(&pushing);
            async move {
                let body = header("push") + &file("file.bin", &content(pusher, serial));
                server.commit(&format!("repo-{pusher}"), body).await;
            }
        };
        let rate = per_second(pushers, push).await;
        let used = processor_time(server.id()) - before;
        costs.push(used.as_secs_f64() * 1e3 / (rate * ROUND.as_secs_f64()));
        our_rates.push(rate);
        let disk = Arc::clone(disk);
        let write = move |pusher, serial| {
            let disk = Arc::clone(&disk);
            async move { disk.write(pusher, serial).await }
        };
        disk_rates.push(per_second(pushers, write).await);
    }
    let (ours, theirs) = (median(our_rates), median(disk_rates));
    println!(
        "{pushers} pushers: registry {ours:.0} commits a second ({:.1} ms of processor time each), \
         files and transactions alone {theirs:.0}, ratio {:.2}",
        median(costs),
        ours / theirs
    );
}

/// Runs per second of all pushers together.
async fn per_second<F, Fut>(pushers: usize, push: F) -> f64
where
    F: Fn(usize, u64) -> Fut + Clone + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let started = Instant::now();
    let running: Vec<_> = (0..pushers)
        .map(|pusher| {
            let push = push.clone();
            tokio::spawn(async move {
                let mut done = 0_u64;
                while started.elapsed() < ROUND {
                    push(pusher, SERIAL.fetch_add(1, Ordering::Relaxed)).await;
                    done += 1;
                }
                done
            })
        })
        .collect();
    let mut done = 0;
    for one in running {
        done += one.await.expect("a pusher without trouble");
    }
    done as f64 / started.elapsed().as_secs_f64()
}

/// Never the same twice.
fn content(pusher: usize, serial: u64) -> Vec<u8> {
    let mut content = format!("{pusher} {serial} ").into_bytes();
    content.resize(FILE_BYTES, b'x');
    content
}

/// Files in a directory, and one connection to a database as the registry sets it up.
struct Disk {
    directory: std::path::PathBuf,
    database: Mutex<SqliteConnection>,
}

impl Disk {
    async fn open(directory: &Path) -> Self {
        let directory = directory.join("bare");
        std::fs::create_dir(&directory).expect("a directory");
        let options = SqliteConnectOptions::new()
            .filename(directory.join("bare.sqlite"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full);
        let mut database = options.connect().await.expect("a database");
        sqlx::query("CREATE TABLE pushes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            .execute(&mut database)
            .await
            .expect("a table");
        Self {
            directory,
            database: Mutex::new(database),
        }
    }

    async fn write(&self, pusher: usize, serial: u64) {
        let directory = self.directory.clone();
        let writing = tokio::task::spawn_blocking(move || {
            let staged = directory.join(format!("staged-{serial}"));
            let mut file = File::create(&staged).expect("a file");
            file.write_all(&content(pusher, serial)).expect("a disk");
            file.sync_all().expect("a disk");
            std::fs::rename(staged, directory.join(format!("file-{serial}"))).expect("a name");
            let directory = File::open(directory).expect("a directory");
            directory.sync_all().expect("a disk");
        });
        writing.await.expect("a written file");
        let mut database = self.database.lock().await;
        let mut transaction = database.begin().await.expect("a transaction");
        // About as many bytes as the registry keeps of a commit.
        sqlx::query("INSERT INTO pushes (text) VALUES (hex(randomblob(1000)))")
            .execute(&mut *transaction)
            .await
            .expect("a row");
        transaction.commit().await.expect("a commit");
    }
}
