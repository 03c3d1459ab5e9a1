//! The schema migrations of SQLite and PostgreSQL, built into the program from their SQL files.

use std::sync::LazyLock;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The steps of an engine, each with its SQL: `migrations/<engine>/<version>_<description>.sql`.
macro_rules! steps {
    ($engine:literal) => {
        steps!(
            $engine,
            "0001_registry",
            "0030_token_reach",
            "0031_quotas",
            "0032_pull_requests",
            "0033_lfs",
            "0034_discussions",
            "0050_tools",
            "0051_contents",
            "0080_tool_manifest",
            "0090_search_order",
            "0100_listing_order",
            "0105_published_versions",
            "0106_published_before",
            "0107_commits_by_generation",
            "0120_arrivals",
            "0130_search_entries",
            "0140_log",
            "0150_trusted_publishing",
            "0160_mirror",
            "0170_witnesses",
            "0180_signers",
            "0190_log_origins",
            "0200_former_cosignatures",
        )
    };
    ($engine:literal, $($name:literal,)*) => {
        [$(($name, include_str!(concat!("../../migrations/", $engine, "/", $name, ".sql")))),*]
    };
}

pub(super) static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(&steps!("sqlite")));
pub(super) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(&steps!("postgres")));

fn migrator(steps: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = steps.iter().map(|(name, sql)| {
        let (version, description) = name.split_once('_').expect("a name has two parts");
        let version = version.parse().expect("a version is a number");
        let description = description.replace('_', " ").into();
        Migration::new(
            version,
            description,
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_is_a_step() {
        for (engine, steps) in [
            ("sqlite", steps!("sqlite")),
            ("postgres", steps!("postgres")),
        ] {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("migrations")
                .join(engine);
            let files: BTreeSet<String> = std::fs::read_dir(directory)
                .expect("the directory of steps")
                .map(|file| {
                    file.expect("a file")
                        .file_name()
                        .into_string()
                        .expect("UTF-8")
                })
                .collect();
            let names = steps.map(|(name, _)| format!("{name}.sql"));
            assert_eq!(files, BTreeSet::from(names), "{engine}");
        }
    }
}
