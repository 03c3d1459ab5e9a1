//! The policy of a loaded tool: the capabilities, limits and secrets of each of its calls.

use std::sync::Arc;

use tool_hub_manifest::{Capabilities, Grants, Limits};
use wasmtime_wasi_config::WasiConfigVariables;

use crate::approval::denial::{Denial, ToolIdentity};
use crate::credential::Credentials;
use crate::imports::directories::guard::Guard;
use crate::imports::http::connect::Tls;
use crate::recording::HttpRecorder;
use crate::secret::Secrets;
use crate::storage::Storage;

/// The capabilities, limits and secrets of each call of a loaded tool.
pub(crate) struct Policy {
    pub(crate) tool: Arc<ToolIdentity>,
    /// The capabilities that the manifest asks for.
    pub(crate) asked: Arc<Capabilities>,
    pub(crate) grants: Arc<Grants>,
    /// The capabilities that the manifest asks for and the user did not grant.
    pub(crate) absent: Arc<[Denial]>,
    pub(crate) limits: Limits,
    /// The granted variables that have a value.
    pub(crate) variables: Vec<(String, String)>,
    /// The same for `wasi:config`.
    pub(crate) settings: Arc<WasiConfigVariables>,
    /// The granted credentials, which the HTTP gate puts into requests.
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) secrets: Secrets,
    /// The storage, if it is granted.
    pub(crate) storage: Option<Storage>,
    /// The names that the tool may not touch in directories with write access.
    pub(crate) guard: Arc<Guard>,
    pub(crate) tls: Arc<Tls>,
    /// What records and answers its requests, while it is tested.
    pub(crate) recorder: Option<Arc<dyn HttpRecorder>>,
}
