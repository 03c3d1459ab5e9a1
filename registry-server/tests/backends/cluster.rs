//! A private PostgreSQL for tests: a cluster in a temporary directory, with a socket only there.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The owner of all databases. The directory is private, so nobody else can connect.
const OWNER: &str = "hub";
/// PostgreSQL refuses to run as root; Debian's package makes this user.
const SYSTEM_USER: &str = "postgres";
/// Longest wait for the server to answer.
const START_MAX: Duration = Duration::from_secs(60);

/// Runs the server until standard input ends, which it does with the test process however that
/// dies; then removes everything. Signals to the whole group, as Ctrl-C sends them, must not come
/// before that. A cluster that is thrown away need not survive a power cut, so nothing is synced.
const KEEPER: &str = r#"
cd /
trap '' INT TERM HUP
"$@" -D "$DIRECTORY/data" -k "$DIRECTORY" -c listen_addresses= -c fsync=off -c max_connections=300 2>"$DIRECTORY/log" &
cat >/dev/null
kill -QUIT "$(head -n 1 "$DIRECTORY/data/postmaster.pid")"
wait
rm -rf "$DIRECTORY"
"#;

pub(super) struct Cluster {
    directory: PathBuf,
    programs: PathBuf,
    as_root: bool,
    /// Its standard input stays open as long as this process lives.
    _keeper: Child,
}

impl Cluster {
    /// Makes and starts a cluster, or says why that cannot be done here.
    pub(super) fn start() -> Result<Self, String> {
        let programs = find_programs().ok_or("PostgreSQL is not installed (no initdb)")?;
        let directory = tempfile::Builder::new()
            .prefix("hub-pg-")
            .tempdir()
            .map_err(|error| format!("there is no temporary directory: {error}"))?;
        let as_root = directory.path().metadata().unwrap().uid() == 0;
        if as_root {
            hand_over(directory.path())?;
        }
        let directory_path = directory.path().to_owned();
        let mut initdb = command(as_root, &programs.join("initdb"));
        // Not the order of bytes, so that a statement that relies on the database's own order
        // shows.
        initdb
            .args(["--no-sync", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale-provider=icu", "--icu-locale=en", "--locale=C"])
            .args(["--username", OWNER, "--pgdata"])
            .arg(directory_path.join("data"));
        finish(&mut initdb).map_err(|reason| format!("initdb failed: {reason}"))?;
        let server = command(as_root, &programs.join("postgres"));
        let keeper = Command::new("sh")
            .args(["-c", KEEPER, "sh"])
            .arg(server.get_program())
            .args(server.get_args())
            .env("DIRECTORY", &directory_path)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| format!("sh cannot be started: {error}"))?;
        let cluster = Self {
            directory: directory.keep(),
            programs,
            as_root,
            _keeper: keeper,
        };
        cluster.wait()?;
        Ok(cluster)
    }

    /// A directory that is removed when the process has ended.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes an empty database and gives back its address.
    pub(super) fn create_database(&self, name: &str) -> String {
        let created = finish(self.client("createdb").arg(name));
        created.unwrap_or_else(|reason| panic!("createdb failed: {reason}"));
        let socket = self.directory.to_str().unwrap().replace('/', "%2F");
        format!("postgres://{OWNER}@{socket}/{name}")
    }

    /// Breaks off all transactions and connections.
    pub(super) fn restart(&self) {
        let mut restart = command(self.as_root, &self.programs.join("pg_ctl"));
        restart
            .args([
                "restart",
                "--mode=immediate",
                "--wait",
                "--silent",
                "--pgdata",
            ])
            .arg(self.directory.join("data"))
            .arg("--log")
            .arg(self.directory.join("log-restarted"))
            .stdout(Stdio::null());
        let status = restart.stdin(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.unwrap().success(), "pg_ctl restart failed");
    }

    /// Everything in the database of this address, as SQL.
    pub(super) fn dump(&self, address: &str) -> Vec<u8> {
        let (_, name) = address.rsplit_once('/').unwrap();
        match finish(self.client("pg_dump").arg(name)) {
            Ok(output) => output.stdout,
            Err(reason) => panic!("pg_dump failed: {reason}"),
        }
    }

    fn wait(&self) -> Result<(), String> {
        let start = Instant::now();
        while finish(&mut self.client("pg_isready")).is_err() {
            if start.elapsed() > START_MAX {
                let log = std::fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                return Err(format!("PostgreSQL does not start: {log}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn client(&self, name: &str) -> Command {
        let mut client = command(self.as_root, &self.programs.join(name));
        client
            .args(["--username", OWNER, "--host"])
            .arg(&self.directory);
        client
    }
}

/// The directory with PostgreSQL's programs: that of the newest version Debian's packages
/// installed, or one in the search path.
fn find_programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let newest = versions
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .max();
    let path = std::env::var_os("PATH").unwrap_or_default();
    newest
        .into_iter()
        .map(|(_, programs)| programs)
        .chain(std::env::split_paths(&path))
        .find(|programs| programs.join("initdb").is_file())
}

/// Gives the directory to PostgreSQL's user; this process, being root, can use it as before.
fn hand_over(directory: &Path) -> Result<(), String> {
    let owned = finish(Command::new("chown").arg(SYSTEM_USER).arg(directory));
    owned.map_err(|reason| format!("PostgreSQL cannot run as root: {reason}"))?;
    let readable = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(directory, readable).map_err(|error| error.to_string())
}

fn command(as_root: bool, program: &Path) -> Command {
    if !as_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", SYSTEM_USER, "--"]).arg(program);
    // The user may not be allowed to be where the tests run.
    command.current_dir("/");
    command
}

fn finish(command: &mut Command) -> Result<Output, String> {
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => {
            let program = command.get_program().to_string_lossy();
            Err(format!("`{program}` cannot be started: {error}"))
        }
    }
}
