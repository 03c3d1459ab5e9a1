//! The kill test: in each round, clients commit, servers are killed, restarted and checked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_hub_registry_server::Downloads;

use crate::backends::Backend;
use crate::ledger::{self, Acknowledged};
use crate::leftovers;
use crate::random::Dice;
use crate::replica::Replica;
use crate::support::TestRegistry;
use crate::writers::{REPOSITORIES, Writers};

/// The number of kills of a test.
const KILLS_VARIABLE: &str = "TOOL_HUB_TEST_KILLS";
const KILLS_DEFAULT: u64 = 15;
/// A number that decides what is written and when servers are killed.
const SEED_VARIABLE: &str = "TOOL_HUB_TEST_SEED";

/// Kills one server on a directory, or two in turn and at once on a place.
pub(crate) async fn run(place: Option<Backend>) -> Result<(), String> {
    let kills = number(KILLS_VARIABLE).unwrap_or(KILLS_DEFAULT);
    let seed = number(SEED_VARIABLE).unwrap_or_else(|| u64::from(std::process::id()) << 20);
    let home = place
        .as_ref()
        .map_or("a directory", |_| "PostgreSQL and S3");
    println!("{kills} kills on {home}, {SEED_VARIABLE}={seed}");
    let mut fleet = Fleet::start(place).await;
    let mut dice = Dice::new(seed);
    let mut totals = Totals::default();
    for kill in 0..kills {
        let round = fleet.round(&mut dice, &mut totals).await;
        round.map_err(|error| format!("after kill {kill} with {SEED_VARIABLE}={seed}: {error}"))?;
    }
    let files = ledger::check(&fleet.hub, &totals.acknowledged).await?;
    ledger::check_histories(&fleet.hub, &totals.acknowledged).await?;
    leftovers::check_deleted(&fleet.hub, &totals.deleted).await?;
    println!(
        "{} commits with {files} files acknowledged, all there; {} requests unanswered or refused, {} repositories deleted; \
         slowest restart {} ms",
        totals.acknowledged.len(),
        totals.unanswered,
        totals.deleted.len(),
        totals.restart_max.as_millis()
    );
    if (totals.acknowledged.len() as u64) < kills {
        return Err(format!(
            "only {} commits: no load",
            totals.acknowledged.len()
        ));
    }
    let Fleet { hub, servers, .. } = fleet;
    let directories: Vec<PathBuf> = servers.iter().map(|it| it.directory.clone()).collect();
    drop(servers);
    leftovers::check(&hub, &directories).await
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is no number")),
    )
}

#[derive(Default)]
struct Totals {
    acknowledged: Vec<Acknowledged>,
    deleted: Vec<String>,
    unanswered: u64,
    restart_max: Duration,
}

struct Server {
    process: Replica,
    directory: PathBuf,
}

/// The servers of one registry, and the registry through the first of them.
struct Fleet {
    hub: TestRegistry,
    place: Option<Backend>,
    servers: Vec<Server>,
}

impl Fleet {
    async fn start(place: Option<Backend>) -> Self {
        let mut hub = TestRegistry::start_in(place.clone(), |_| ()).await;
        for repository in REPOSITORIES {
            hub.create(repository).await;
        }
        // Nobody but the servers that are killed has the database open.
        hub.stop().await;
        hub.registry.close().await;
        let directories = match &place {
            Some(_) => ["a", "b"]
                .map(|name| hub.directory.path().join(name))
                .to_vec(),
            None => vec![hub.config.directory.clone()],
        };
        let servers = directories.into_iter().map(|directory| Server {
            process: Replica::start(place.as_ref(), &directory, Downloads::Proxy),
            directory,
        });
        let servers: Vec<Server> = servers.collect();
        Self {
            hub: hub.through(&servers[0].process.endpoint),
            place,
            servers,
        }
    }

    async fn round(&mut self, dice: &mut Dice, totals: &mut Totals) -> Result<(), String> {
        let hubs: Vec<Arc<TestRegistry>> = self
            .servers
            .iter()
            .map(|server| Arc::new(self.hub.through(&server.process.endpoint)))
            .collect();
        let writers = Writers::start(&hubs, dice);
        tokio::time::sleep(Duration::from_millis(20 + dice.below(380))).await;
        // With two servers, 2 stands for both.
        let victim = dice.below(self.servers.len() as u64 * 2 - 1) as usize;
        let is_killed = |at: usize| at == victim || victim >= 2;
        for (at, server) in self.servers.iter_mut().enumerate() {
            if is_killed(at) {
                server.process.kill();
            }
        }
        if self.servers.len() > 1 && victim < 2 {
            tokio::time::sleep(Duration::from_millis(dice.below(100))).await;
        }
        let told = writers.stop().await;
        let restarting = Instant::now();
        for (at, server) in self.servers.iter_mut().enumerate() {
            if is_killed(at) {
                server.process =
                    Replica::start(self.place.as_ref(), &server.directory, Downloads::Proxy);
            }
        }
        totals.restart_max = totals.restart_max.max(restarting.elapsed());
        self.hub = self.hub.through(&self.servers[0].process.endpoint);
        ledger::check(&self.hub, &told.acknowledged).await?;
        leftovers::check_deleted(&self.hub, &told.deleted).await?;
        totals.acknowledged.extend(told.acknowledged);
        totals.deleted.extend(told.deleted);
        totals.unanswered += told.unanswered;
        Ok(())
    }
}
