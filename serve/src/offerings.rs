//! The prompts and resources of all tools: lists them, and finds the tool of a name or address.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::OnceCell;
use tool_hub_host::{CallerKey, Prompt, ResourceEntry, ResourceTemplate, Tool};
use tool_hub_manifest::contract::Failure;
use tool_hub_manifest::{ToolKey, visible_name};

/// Tools with prompts or resources, in the order in which they are queried. Cloning is cheap.
#[derive(Clone, Default)]
pub(crate) struct Offerings {
    members: Arc<[Member]>,
    /// The caller that requests are made for, if there is one.
    caller: Option<CallerKey>,
}

/// A tool and what it has said of itself. Its list of resources is not kept, since a call of
/// one of its functions may change it.
struct Member {
    key: ToolKey,
    tool: Tool,
    prompts: OnceCell<Vec<OfferedPrompt>>,
    templates: OnceCell<Vec<ResourceTemplate>>,
}

/// A prompt under the name that people see.
pub(crate) struct OfferedPrompt {
    pub(crate) name: String,
    pub(crate) prompt: Prompt,
}

/// The tool that a resource belongs to.
pub(crate) struct Reader<'a> {
    pub(crate) key: &'a ToolKey,
    pub(crate) tool: Tool,
}

impl Offerings {
    pub(crate) fn new(tools: impl IntoIterator<Item = (ToolKey, Tool)>) -> Self {
        let member = |(key, tool)| Member {
            key,
            tool,
            prompts: OnceCell::new(),
            templates: OnceCell::new(),
        };
        Self {
            members: tools.into_iter().map(member).collect(),
            caller: None,
        }
    }

    /// The same tools, with requests made for `caller`.
    pub(crate) fn for_caller(&self, caller: Option<CallerKey>) -> Self {
        Self {
            members: self.members.clone(),
            caller,
        }
    }

    pub(crate) fn has_prompts(&self) -> bool {
        self.members.iter().any(|member| member.tool.has_prompts())
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.members
            .iter()
            .any(|member| member.tool.has_resources())
    }

    /// Every prompt. No two have the same name, since no two tools have the same key.
    pub(crate) async fn prompts(&self) -> Vec<&OfferedPrompt> {
        let mut prompts = Vec::new();
        for member in self.with_prompts() {
            prompts.extend(member.prompts(self.tool_for_caller(member)).await);
        }
        prompts
    }

    /// The prompt that people see as `name`, and the tool that fills it in.
    pub(crate) async fn prompt(&self, name: &str) -> Option<(Tool, &OfferedPrompt)> {
        let key = name.split_once("__").map_or(name, |(key, _)| key);
        let member = self
            .with_prompts()
            .find(|member| member.key.as_str() == key)?;
        let tool = self.tool_for_caller(member);
        let mut offered = member.prompts(tool.clone()).await.iter();
        let prompt = offered.find(|prompt| prompt.name == name)?;
        Some((tool, prompt))
    }

    /// Every resource that is listed now, no two of the same address.
    pub(crate) async fn resources(&self) -> Vec<ResourceEntry> {
        let mut resources = Vec::new();
        let mut uris = HashSet::new();
        for member in self.with_resources() {
            let listed = member
                .resources(&self.tool_for_caller(member))
                .await
                .into_iter();
            resources.extend(listed.filter(|entry| uris.insert(entry.link.uri.clone())));
        }
        resources
    }

    /// Every family of resources, no two of the same pattern.
    pub(crate) async fn templates(&self) -> Vec<&ResourceTemplate> {
        let mut templates = Vec::new();
        let mut patterns = HashSet::new();
        for member in self.with_resources() {
            let offered = member.templates(self.tool_for_caller(member)).await.iter();
            templates
                .extend(offered.filter(|template| patterns.insert(template.uri_template.as_str())));
        }
        templates
    }

    /// The first tool that has a family to which `uri` belongs, or lists it.
    pub(crate) async fn reader(&self, uri: &str) -> Option<Reader<'_>> {
        for member in self.with_resources() {
            let tool = self.tool_for_caller(member);
            let mut templates = member.templates(tool.clone()).await.iter();
            let belongs = templates.any(|template| template.uri_template.variables(uri).is_some());
            let listed = |entry: &ResourceEntry| entry.link.uri == uri;
            if belongs || member.resources(&tool).await.iter().any(listed) {
                return Some(Reader {
                    key: &member.key,
                    tool,
                });
            }
        }
        None
    }

    /// The toolbox's name of `tool`.
    pub(crate) fn key_of(&self, tool: &Tool) -> Option<&ToolKey> {
        let member = self.members.iter().find(|member| member.tool.is(tool))?;
        Some(&member.key)
    }

    /// Values of a variable of the family whose pattern is `template`, as far as resources of
    /// that family are listed.
    pub(crate) async fn values(&self, template: &str, variable: &str) -> Vec<String> {
        let mut values = Vec::new();
        for member in self.with_resources() {
            let tool = self.tool_for_caller(member);
            let mut templates = member.templates(tool.clone()).await.iter();
            let Some(found) = templates.find(|known| known.uri_template.as_str() == template)
            else {
                continue;
            };
            for entry in member.resources(&tool).await {
                let variables = found.uri_template.variables(&entry.link.uri);
                let mut variables = variables.into_iter().flatten();
                let value = variables.find(|(name, _)| *name == variable);
                // One that is escaped would be escaped again.
                values.extend(
                    value
                        .filter(|(_, value)| !value.contains('%'))
                        .map(|(_, value)| value.to_owned()),
                );
            }
            break;
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The tool of `member`, with requests made for the caller.
    fn tool_for_caller(&self, member: &Member) -> Tool {
        for_caller(&member.tool, self.caller.as_ref())
    }

    fn with_prompts(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| member.tool.has_prompts())
    }

    fn with_resources(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| member.tool.has_resources())
    }
}

/// The same tool with calls made for `caller`, so that no caller can take all places of the host.
pub(crate) fn for_caller(tool: &Tool, caller: Option<&CallerKey>) -> Tool {
    match caller {
        Some(caller) => tool.for_caller(caller.clone()),
        None => tool.clone(),
    }
}

/// A tool that fails to say what it has offers nothing until it is asked again: an agent keeps
/// what the other tools offer.
impl Member {
    async fn prompts(&self, tool: Tool) -> &[OfferedPrompt] {
        let asked = self.prompts.get_or_try_init(|| async {
            let prompts = tool.prompts().await?;
            Ok(self.offered(prompts))
        });
        match asked.await {
            Ok(prompts) => prompts,
            Err(failure) => self.complain("prompts", &failure).unwrap_or_default(),
        }
    }

    async fn resources(&self, tool: &Tool) -> Vec<ResourceEntry> {
        match tool.resources().await {
            Ok(resources) => resources,
            Err(failure) => self.complain("resources", &failure).unwrap_or_default(),
        }
    }

    async fn templates(&self, tool: Tool) -> &[ResourceTemplate] {
        let asked = self.templates.get_or_try_init(|| tool.resource_templates());
        match asked.await {
            Ok(templates) => templates,
            Err(failure) => self.complain("templates", &failure).unwrap_or_default(),
        }
    }

    fn offered(&self, prompts: Vec<Prompt>) -> Vec<OfferedPrompt> {
        let count = prompts.len();
        let offered = prompts.into_iter().filter_map(|prompt| {
            match visible_name(&self.key, &prompt.name, count) {
                Ok(name) => Some(OfferedPrompt { name, prompt }),
                Err(error) => {
                    tracing::warn!(tool = %self.key, %error, "a prompt cannot be offered");
                    None
                }
            }
        });
        offered.collect()
    }

    fn complain<T>(&self, what: &str, failure: &Failure) -> Option<T> {
        tracing::warn!(tool = %self.key, what, ?failure, "a tool does not say what it offers");
        None
    }
}
