//! A real PostgreSQL and a server that speaks S3, started once in a test process and gone with it.

mod bucket;
mod cluster;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use bucket::BucketServer;
use cluster::Cluster;
use tool_hub_registry_server::{DatabaseAddress, Downloads, RegistryConfig, StorageAddress};

/// Set to `shared`, this variable makes every registry of a test use a database of its own in
/// PostgreSQL and a prefix of its own in a bucket, in place of a directory.
const PLACE_VARIABLE: &str = "TOOL_HUB_TEST_PLACE";

/// The two servers.
pub(crate) struct Shared {
    cluster: Cluster,
    bucket: BucketServer,
    places: AtomicUsize,
}

/// Room for one registry.
#[derive(Debug, Clone)]
pub(crate) struct Backend {
    /// `postgres://…`
    pub(crate) database: String,
    /// `http://…`
    pub(crate) endpoint: String,
    /// `s3://…`
    pub(crate) storage: String,
}

impl Shared {
    /// The two servers, or why this machine cannot run them.
    pub(crate) fn get() -> Result<&'static Self, String> {
        static SHARED: OnceLock<Result<Shared, String>> = OnceLock::new();
        SHARED
            .get_or_init(Self::start)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Two servers for one test alone, which may ill-treat them.
    pub(crate) fn start() -> Result<Self, String> {
        let cluster = Cluster::start()?;
        Ok(Self {
            bucket: BucketServer::start(cluster.directory()),
            cluster,
            places: AtomicUsize::new(0),
        })
    }

    /// Stops the database in the middle of everything and starts it again.
    pub(crate) fn restart_database(&self) {
        self.cluster.restart();
    }

    /// An empty database and an empty part of the bucket.
    pub(crate) fn place(&self) -> Backend {
        let name = format!("hub_{}", self.places.fetch_add(1, Ordering::Relaxed));
        Backend {
            database: self.cluster.create_database(&name),
            endpoint: self.bucket.endpoint.clone(),
            storage: format!("s3://{}/{name}/content", bucket::NAME),
        }
    }
}

impl Backend {
    /// The place the variable asks for; `None` for a directory.
    pub(crate) fn wanted() -> Option<Self> {
        match std::env::var(PLACE_VARIABLE).as_deref() {
            Ok("shared") => match Shared::get() {
                Ok(shared) => Some(shared.place()),
                Err(reason) => panic!("{PLACE_VARIABLE} asks for PostgreSQL and S3, but {reason}"),
            },
            Ok(other) => panic!("{PLACE_VARIABLE} is {other:?}; it can only be \"shared\""),
            Err(_) => None,
        }
    }

    /// The environment variables with which clients reach the bucket.
    pub(crate) fn bucket_variables(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", self.endpoint.clone()),
            ("AWS_ACCESS_KEY_ID", bucket::KEY_ID.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", bucket::KEY_SECRET.to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    /// A registry here, with `directory` for uploads while they arrive.
    pub(crate) fn config(&self, directory: &Path, downloads: Downloads) -> RegistryConfig {
        let mut config = RegistryConfig::new(directory);
        let database: DatabaseAddress = self.database.parse().unwrap();
        config.database = database;
        let mut storage: tool_hub_registry_server::S3Storage = self.storage.parse().unwrap();
        storage.downloads = downloads;
        let options = self.bucket_variables().into_iter();
        storage.options = options
            .chain([("AWS_PROFILE", "passed over".to_owned())])
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        config.storage = StorageAddress::S3(storage);
        config
    }
}

/// The directory in which the keys of this place's part of the bucket are files.
pub(crate) fn bucket_files(place: &Backend) -> PathBuf {
    let path = place.storage.strip_prefix("s3://").unwrap();
    Shared::get().unwrap().bucket.root.join(path)
}

/// Everything a database of this place holds, as text.
pub(crate) fn dump(place: &Backend) -> Vec<u8> {
    Shared::get().unwrap().cluster.dump(&place.database)
}
