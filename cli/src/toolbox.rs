//! The toolbox of a user or a project: finds and changes it, fetches packages, records approvals,
//! and loads its tools.

pub(crate) mod derived_manifest;
pub(crate) mod loaded;
pub(crate) mod lock_record;
pub(crate) mod open_toolbox;
pub(crate) mod package;
pub(crate) mod provenance;
pub(crate) mod sandbox;
pub(crate) mod target;
