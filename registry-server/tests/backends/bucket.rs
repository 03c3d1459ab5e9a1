//! A server that speaks S3 and checks signatures, on a thread of its own, over a directory.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::net::TcpListener;

/// The one bucket.
pub(super) const NAME: &str = "registries";
pub(super) const KEY_ID: &str = "TESTKEYID";
pub(super) const KEY_SECRET: &str = "test-key-secret";

pub(super) struct BucketServer {
    /// `http://127.0.0.1:port`
    pub(super) endpoint: String,
    /// The directory in which buckets are directories and keys are files.
    pub(super) root: PathBuf,
}

impl BucketServer {
    /// Serves `directory/s3` until the process ends.
    pub(super) fn start(directory: &Path) -> Self {
        let root = directory.join("s3");
        std::fs::create_dir_all(root.join(NAME)).unwrap();
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(&root).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY_ID, KEY_SECRET));
        let service = builder.build();
        let (announce, announced) = std::sync::mpsc::channel();
        std::thread::spawn(move || serve(service, &announce));
        Self {
            endpoint: format!("http://{}", announced.recv().unwrap()),
            root,
        }
    }
}

/// The runtime of a test ends with it, and the server is for all of them.
fn serve(service: S3Service, announce: &std::sync::mpsc::Sender<SocketAddr>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        announce.send(listener.local_addr().unwrap()).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let connection =
                http1::Builder::new().serve_connection(TokioIo::new(stream), service.clone());
            tokio::spawn(connection);
        }
    });
}
