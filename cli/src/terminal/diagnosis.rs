//! Searches an error's causes for its exit code and hints, for denied access and a closed pipe.

use std::error::Error;

use tool_hub_agent::constraint::ConstraintError;
use tool_hub_agent::conversation::MessageError;
use tool_hub_agent::conversation::answer::FormatError;
use tool_hub_agent::conversation::chat_template::{ModelError, TemplateError};
use tool_hub_agent::prompt::PromptError;
use tool_hub_host::HostError;
use tool_hub_manifest::{DocumentError, GrantError, VerifyError};
use tool_hub_registry_client::{ClientError, StoreError};
use tool_hub_registry_server::RegistryError;
use tool_hub_serve::{AccessError, GatewayError, LoopError};
use url::Url;

use crate::terminal::exit::Exit;
use crate::terminal::hints::Hint;
use crate::terminal::printer::OutputLost;
use crate::terminal::problem::Problem;

/// An error's exit code, and hints beyond its text.
#[derive(Debug)]
pub(crate) struct Diagnosis {
    pub(crate) exit: Exit,
    pub(crate) hints: Vec<String>,
}

type Cause = dyn Error + 'static;

/// The errors for which there are hints.
const HINTED: [fn(&Cause) -> Option<Diagnosis>; 13] = [
    hinted::<Problem>,
    hinted::<tool_hub_toolbox::Error>,
    hinted::<ClientError>,
    hinted::<StoreError>,
    hinted::<RegistryError>,
    hinted::<VerifyError>,
    hinted::<HostError>,
    hinted::<GrantError>,
    hinted::<DocumentError>,
    hinted::<TemplateError>,
    hinted::<ConstraintError>,
    hinted::<MessageError>,
    hinted::<PromptError>,
];

/// The errors that the user can mend by what their text says.
const MENDABLE: [fn(&Cause) -> bool; 8] = [
    <Cause>::is::<std::io::Error>,
    <Cause>::is::<url::ParseError>,
    <Cause>::is::<toml_edit::de::Error>,
    <Cause>::is::<AccessError>,
    <Cause>::is::<GatewayError>,
    <Cause>::is::<LoopError>,
    <Cause>::is::<ModelError>,
    <Cause>::is::<FormatError>,
];

/// The diagnosis of the first cause for which there are hints.
pub(crate) fn of(error: &anyhow::Error) -> Diagnosis {
    let mut causes = error.chain();
    let found = causes.find_map(|cause| HINTED.iter().find_map(|hinted| hinted(cause)));
    found.unwrap_or_else(|| {
        let mut causes = error.chain();
        let is_mendable = causes.any(|cause| MENDABLE.iter().any(|is| is(cause)));
        Diagnosis {
            exit: match is_mendable {
                true => Exit::User,
                false => Exit::Unexpected,
            },
            hints: Vec::new(),
        }
    })
}

fn hinted<E: Hint + Error + 'static>(cause: &Cause) -> Option<Diagnosis> {
    let error = cause.downcast_ref::<E>()?;
    Some(Diagnosis {
        exit: error.exit(),
        hints: error.hints(),
    })
}

/// The registry that denied access, if that is the cause of the error: logging in may help.
pub(crate) fn unauthorized_registry(error: &anyhow::Error) -> Option<&Url> {
    error.chain().find_map(|cause| match client_error(cause)? {
        ClientError::TokenMissing { endpoint, .. } | ClientError::RepoNotFound { endpoint, .. } => {
            Some(&**endpoint)
        }
        _ => None,
    })
}

fn client_error(cause: &Cause) -> Option<&ClientError> {
    match cause.downcast_ref() {
        Some(tool_hub_toolbox::Error::Client(error)) => Some(error),
        _ => cause.downcast_ref(),
    }
}

/// True if the only failure is that nobody reads standard output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(OutputLost::nobody_reads)
}
