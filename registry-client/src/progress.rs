//! The `Progress` trait for watching the transfer of files, and `Silent`, which watches nothing.

/// Watches transfers. Methods are called from the task that transfers: they must return at
/// once.
///
/// A transfer that fails or breaks off is not finished; when it is started again, `started`
/// is called again for the same file and counting begins anew.
pub trait Progress: Send + Sync {
    /// The transfer of `file`, of `bytes` bytes in all, has begun.
    fn started(&self, file: &str, bytes: u64);
    /// A further `bytes` bytes of `file` were transferred. An upload that goes inside the
    /// commit has no such steps: it is started, and then it is finished.
    fn advanced(&self, file: &str, bytes: u64);
    /// All of `file` was transferred.
    fn finished(&self, file: &str);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn started(&self, _file: &str, _bytes: u64) {}
    fn advanced(&self, _file: &str, _bytes: u64) {}
    fn finished(&self, _file: &str) {}
}
