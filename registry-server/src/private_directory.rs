//! Creates directories that other users of the machine cannot read.

use std::path::Path;

use crate::error::RegistryError;

/// Private repositories and token hashes lie below, so other users of the machine are kept out.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), RegistryError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|source| RegistryError::OpenDirectory {
            path: path.to_owned(),
            source,
        })
}
