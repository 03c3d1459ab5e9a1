//! A function that somebody asked for, and what stands around a call of it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{MetaObject, Tool as Definition};
use tool_hub_agent::{ResultShape, repair};
use tool_hub_host::Interaction;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, Outcome};

use crate::audit::{self, FrontEnd, Request, Subject};
use crate::built_in::{self, BuiltIn, CallTool, DescribeTool, ReadAnswer, SearchTools};
use crate::catalogue::{BuiltInEntry, Catalogue, Entry};
use crate::quoted_text::quoted_name;
use crate::toolset::Toolset;
use crate::{argument_repair, discovery};

/// A function that somebody asked for. It stays what it is when the toolset changes.
pub(crate) struct ResolvedFunction {
    toolset: Toolset,
    catalogue: Arc<Catalogue>,
    which: Which,
}

/// A place in a catalogue.
#[derive(Clone, Copy)]
enum Which {
    Function(usize),
    BuiltIn(usize),
}

/// Nothing of that name is offered. Its text is for the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) struct UnknownFunction {
    /// Cut and escaped.
    name: String,
    nearest: Option<String>,
    /// Whether the names are to be had from a list.
    is_listed: bool,
}

impl ResolvedFunction {
    /// The functions that `toolset` lists, in order.
    pub(crate) fn listed(toolset: &Toolset) -> Vec<Self> {
        let catalogue = toolset.catalogue();
        let names = catalogue.definitions().map(|(name, _)| name);
        let found = names.map(|name| Self::of(toolset.clone(), catalogue.clone(), name));
        found.filter_map(Result::ok).collect()
    }

    /// The function of `toolset` that agents call `name`.
    pub(crate) fn find(toolset: &Toolset, name: &str) -> Result<Self, UnknownFunction> {
        Self::of(toolset.clone(), toolset.catalogue(), name)
    }

    fn of(
        toolset: Toolset,
        catalogue: Arc<Catalogue>,
        name: &str,
    ) -> Result<Self, UnknownFunction> {
        let function = catalogue.position(name).map(Which::Function);
        let found = function.or_else(|| catalogue.built_in(name).map(Which::BuiltIn));
        match found {
            Some(which) => Ok(Self {
                toolset,
                catalogue,
                which,
            }),
            None => Err(UnknownFunction::new(name, &catalogue)),
        }
    }

    /// What agents read about it.
    pub(crate) fn spec(&self) -> &FunctionSpec {
        match self.entry() {
            Ok(entry) => &entry.offer.spec,
            Err(built_in) => &built_in.spec,
        }
    }

    /// The same as the Model Context Protocol says it.
    pub(crate) fn definition(&self) -> &Definition {
        match self.entry() {
            Ok(entry) => &entry.definition,
            Err(built_in) => &built_in.definition,
        }
    }

    /// The shape of its structured results. Absent when the function declares none and every
    /// result speaks for itself.
    pub(crate) fn shape(&self) -> Option<ResultShape> {
        self.entry().ok()?.shape
    }

    /// What is said of all that it answers, where that is a stranger's text.
    pub(crate) fn provenance(&self) -> Option<&MetaObject> {
        match self.entry() {
            Ok(entry) => Some(&entry.provenance),
            Err(built_in) => built_in.provenance.as_ref(),
        }
    }

    /// The function that a call with `arguments` is really of, and its arguments: `call_tool`
    /// stands for another one, whose name is what people and results should be shown.
    pub(crate) fn meant(self, arguments: String) -> (Self, String) {
        match self.forwarded(&arguments) {
            Some(meant) => meant,
            None => (self, arguments),
        }
    }

    /// Calls it, for `front_end`, with the text of a JSON object, or of something that can be read
    /// as the one that was meant. The text of a reply that the agent gets is no longer than agents
    /// can read. Dropping the future stops the call.
    pub(crate) async fn call(
        &self,
        front_end: FrontEnd,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let call = async |interaction| {
            let outcome = self.as_meant(front_end, arguments, interaction).await;
            outcome.into_result()
        };
        let came = match self.entry() {
            Ok(Entry { offer, .. }) => {
                let request = Request {
                    subject: Subject::Function(&offer.spec.name),
                    tool: &offer.tool,
                    front_end,
                };
                audit::audited(self.toolset.auditor(), request, interaction, call).await
            }
            Err(_) => call(interaction).await,
        };
        let outcome = Outcome::from(came);
        match (self.which, self.catalogue.answer_bytes_max()) {
            (Which::Function(_), Some(max)) => {
                let stored_results = self.toolset.stored_results();
                stored_results.shorten(&self.spec().name, outcome, max)
            }
            _ => outcome,
        }
    }

    async fn as_meant(
        &self,
        front_end: FrontEnd,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let outcome = self
            .attempt(front_end, arguments, interaction.clone())
            .await;
        // What another function refused has been read as it was meant, and explained, there.
        if !argument_repair::is_refused(&outcome) || self.forwarded(arguments).is_some() {
            return outcome;
        }
        match repair(&self.spec().input_schema, arguments) {
            Some(read) => {
                let again = self.attempt(front_end, &read.arguments, interaction);
                argument_repair::noted(again.await, read.note, self.spec())
            }
            None => argument_repair::explained(outcome, self.spec()),
        }
    }

    /// Calls it once, as it stands.
    async fn attempt(
        &self,
        front_end: FrontEnd,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        match self.entry() {
            Ok(Entry { offer, .. }) => {
                let function = offer.function.as_str();
                let tool = self.toolset.called(&offer.tool);
                let outcome = tool.call_with(function, arguments, interaction).await;
                // Only what calls itself read-only leaves the tool's resources as they are.
                if self.spec().annotations.read_only != Some(true) && offer.tool.has_resources() {
                    let offerings = self.catalogue.offerings();
                    self.toolset
                        .touch(|| offerings.key_of(&offer.tool).cloned());
                }
                outcome
            }
            Err(entry) => {
                self.attempt_built_in(entry.built_in, front_end, arguments, interaction)
                    .await
            }
        }
    }

    fn attempt_built_in<'a>(
        &'a self,
        built_in: BuiltIn,
        front_end: FrontEnd,
        arguments: &'a str,
        interaction: Arc<dyn Interaction>,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        Box::pin(async move {
            let answered = match built_in {
                BuiltIn::SearchTools => {
                    built_in::read(arguments).map(|wanted| self.search(&wanted))
                }
                BuiltIn::DescribeTool => built_in::read::<DescribeTool>(arguments)
                    .and_then(|wanted| self.other(&wanted.name))
                    .map(|other| built_in::answer(discovery::described(other.spec()))),
                BuiltIn::CallTool => match built_in::read::<CallTool>(arguments) {
                    Ok(wanted) => match self.other(&wanted.name) {
                        Ok(other) => {
                            let arguments = wanted.arguments();
                            return other.call(front_end, &arguments, interaction).await;
                        }
                        Err(unknown) => Err(unknown),
                    },
                    Err(failure) => Err(failure),
                },
                BuiltIn::ReadAnswer => match built_in::read::<ReadAnswer>(arguments) {
                    Ok(wanted) => return self.toolset.stored_results().read(wanted).await,
                    Err(failure) => Err(failure),
                },
            };
            answered.unwrap_or_else(Outcome::Failure)
        })
    }

    fn search(&self, wanted: &SearchTools) -> Outcome {
        let found = self.catalogue.search(&wanted.query).take(wanted.wanted());
        built_in::answer(discovery::found(found, self.catalogue.specs().len()))
    }

    /// The tool's function that agents call `name`.
    fn other(&self, name: &str) -> Result<Self, Failure> {
        match self.catalogue.position(name) {
            Some(index) => Ok(Self {
                toolset: self.toolset.clone(),
                catalogue: self.catalogue.clone(),
                which: Which::Function(index),
            }),
            None => {
                let unknown = UnknownFunction::new(name, &self.catalogue);
                Err(discovery::unknown(unknown.to_string()))
            }
        }
    }

    fn forwarded(&self, arguments: &str) -> Option<(Self, String)> {
        let built_in = self.entry().err()?.built_in;
        if built_in != BuiltIn::CallTool {
            return None;
        }
        let wanted: CallTool = built_in::read(arguments).ok()?;
        let other = self.other(&wanted.name).ok()?;
        Some((other, wanted.arguments()))
    }

    fn entry(&self) -> Result<&Entry, &BuiltInEntry> {
        match self.which {
            Which::Function(index) => Ok(self.catalogue.at(index)),
            Which::BuiltIn(index) => Err(self.catalogue.built_in_at(index)),
        }
    }
}

impl UnknownFunction {
    pub(crate) fn new(name: &str, catalogue: &Catalogue) -> Self {
        let name = quoted_name(name);
        Self {
            nearest: catalogue.nearest(&name).map(str::to_owned),
            is_listed: catalogue.lists_all(),
            name,
        }
    }

    /// The name that was probably meant.
    pub(crate) fn nearest(&self) -> Option<&str> {
        self.nearest.as_deref()
    }
}

impl fmt::Display for UnknownFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest, .. } = self;
        match nearest {
            Some(nearest) => write!(f, "unknown tool `{name}`; did you mean `{nearest}`?"),
            None if self.is_listed => {
                write!(f, "unknown tool `{name}`; list the tools to see every name")
            }
            None => write!(f, "unknown tool `{name}`; search_tools finds every name"),
        }
    }
}
