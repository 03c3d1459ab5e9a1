//! Implements the contract's `toolbox` interface: a guest lists and calls functions of other tools.

use std::time::Duration;

use tool_hub_manifest::contract::{
    Content, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome, Reply, ResourceContents,
    ResourceLink, Role,
};
use wasmtime::component::Linker;

use crate::interaction::ToolboxFunction;

use crate::call::audit;
use crate::call::state::CallState;

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package tool-hub:host;
            world host { import tool-hub:tool/toolbox@0.1.0; }
        ",
        path: "../wit",
        imports: { default: async | trappable },
    });
}
use bindings::tool_hub::tool::{toolbox, types};

/// The most functions that one call may call.
const CALLS_MAX: u32 = 1_000;
/// The time that one of them may take, a person's thinking included. Functions have limits of their
/// own; this one holds for whatever else answers.
const CALL_TIME_MAX: Duration = Duration::from_secs(600);

/// Offers the interface to guests.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    toolbox::add_to_linker::<_, wasmtime::component::HasSelf<CallState>>(linker, |s| s)
}

impl toolbox::Host for CallState {
    async fn list_functions(&mut self) -> wasmtime::Result<Vec<toolbox::Callable>> {
        let function = self.record.interaction.functions();
        Ok(function.into_iter().map(toolbox::Callable::from).collect())
    }

    async fn call(
        &mut self,
        name: String,
        arguments: String,
    ) -> wasmtime::Result<Result<types::Reply, types::Failure>> {
        if self.called >= CALLS_MAX {
            let message = format!("a call calls at most {CALLS_MAX} functions");
            return Ok(Err(Failure::new(FailureKind::LimitReached, message).into()));
        }
        self.called += 1;
        // What this tool keeps secret is not for other tools.
        let secrets = &self.record.secrets;
        let (name, arguments) = (secrets.masked(&name), secrets.mask_json(arguments));
        let interaction = self.record.interaction.clone();
        self.record.time.pause();
        let called =
            tokio::time::timeout(CALL_TIME_MAX, interaction.call(name.as_ref(), &arguments)).await;
        self.record.time.resume();
        let outcome = called.unwrap_or_else(|_| {
            let seconds = CALL_TIME_MAX.as_secs();
            let message = format!(
                "`{}` did not answer within {seconds} seconds",
                name.as_ref()
            );
            Failure::new(FailureKind::Unavailable, message).into()
        });
        let result = match &outcome {
            Outcome::Reply(_) => "answered",
            Outcome::Failure(failure) => failure.kind.as_str(),
        };
        audit::called(&self.policy.tool.name, &name, result);
        Ok(match outcome.into_result() {
            Ok(reply) => Ok(reply.into()),
            Err(failure) => Err(failure.into()),
        })
    }
}

impl types::Host for CallState {}

impl From<ToolboxFunction> for toolbox::Callable {
    fn from(function: ToolboxFunction) -> Self {
        Self {
            name: function.name,
            description: function.description,
            input_schema: function.input_schema.to_string(),
        }
    }
}

impl From<Reply> for types::Reply {
    fn from(reply: Reply) -> Self {
        Self {
            content: reply.content.into_iter().map(Into::into).collect(),
            structured: reply.structured,
            next: reply.next,
        }
    }
}

impl From<Content> for types::Content {
    fn from(content: Content) -> Self {
        Self {
            body: content.body.into(),
            annotations: content.annotations.map(|hints| types::Annotations {
                audience: hints.audience.into_iter().map(Into::into).collect(),
                priority: hints.priority,
                last_modified: hints.last_modified,
            }),
        }
    }
}

impl From<Role> for types::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Assistant => Self::Assistant,
        }
    }
}

impl From<ContentBody> for types::ContentBody {
    fn from(body: ContentBody) -> Self {
        match body {
            ContentBody::Text(text) => Self::Text(text),
            ContentBody::Image { media_type, data } => {
                Self::Image(types::Image { media_type, data })
            }
            ContentBody::Audio { media_type, data } => {
                Self::Audio(types::Audio { media_type, data })
            }
            ContentBody::Link(link) => Self::Link(link.into()),
            ContentBody::Resource(resource) => Self::Resource(resource.into()),
        }
    }
}

impl From<ResourceLink> for types::ResourceLink {
    fn from(link: ResourceLink) -> Self {
        Self {
            uri: link.uri,
            name: link.name,
            title: link.title,
            description: link.description,
            media_type: link.media_type,
            size: link.size,
        }
    }
}

impl From<EmbeddedResource> for types::EmbeddedResource {
    fn from(resource: EmbeddedResource) -> Self {
        Self {
            uri: resource.uri,
            media_type: resource.media_type,
            contents: match resource.contents {
                ResourceContents::Text(text) => types::ResourceContents::Text(text),
                ResourceContents::Blob(data) => types::ResourceContents::Blob(data),
            },
        }
    }
}

impl From<Failure> for types::Failure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: kind(&failure.kind),
            message: failure.message,
            fix: failure.fix,
            argument: failure.argument,
            retryable: failure.retryable,
        }
    }
}

/// The contract's kind of failure for any kind, those that only the host has included.
fn kind(kind: &FailureKind) -> types::FailureKind {
    use types::FailureKind as Kind;
    match kind {
        FailureKind::InvalidArgument | FailureKind::MalformedArgument => Kind::InvalidArgument,
        FailureKind::NotFound | FailureKind::UnknownFunction => Kind::NotFound,
        FailureKind::PermissionDenied | FailureKind::Denied { .. } => Kind::PermissionDenied,
        FailureKind::Conflict => Kind::Conflict,
        FailureKind::LimitReached | FailureKind::HostLimit { .. } => Kind::LimitReached,
        FailureKind::Unavailable | FailureKind::InputRequired(_) => Kind::Unavailable,
        FailureKind::Internal | FailureKind::Failed | FailureKind::Trapped => Kind::Internal,
        // Kinds that this version of the contract does not have become `internal`.
        _ => Kind::Internal,
    }
}
