//! `tool policy explain`: shows the rules in force, and which of them a tool passes.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tool_hub_manifest::{Grants, LockedTool};
use tool_hub_registry_client::Store;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::open_toolbox::tool_status::dotted;
use tool_hub_toolbox::policy::policies::{Policies, Policy as PolicyFile};
use tool_hub_toolbox::policy::rule::RuleOutcome;
use tool_hub_toolbox::policy::subject::RightsSubject;

use crate::session::Session;
use crate::terminal::exit::Exit;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::table::table;

/// Arguments of `tool policy`.
#[derive(Debug, Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Show the rules in force, and for a tool of the toolbox which it passes
    Explain(Explain),
}

/// Arguments of `tool policy explain`.
#[derive(Debug, Args)]
struct Explain {
    /// The toolbox's name of a tool
    tool: Option<String>,
}

impl Policy {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let PolicyCommand::Explain(explain) = &self.command;
        let policies = Policies::read(&session.config.settings).map_err(Error::from)?;
        match &explain.tool {
            Some(tool) => explain_tool(tool, session),
            None => explain_rules(&policies, session),
        }
    }
}

fn explain_rules(policies: &Policies, session: &Session) -> anyhow::Result<ExitCode> {
    let printer = &session.printer;
    if printer.wants_json() {
        let policies = policies.iter().map(|policy| {
            let rules = policy.rules.iter();
            let rules = rules.map(|(rule, value)| json!({ "rule": rule, "value": value }));
            with_file(policy, rules.collect())
        });
        printer.json(&json!({ "policies": policies.collect::<Vec<_>>() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if policies.is_empty() {
        let [machine, user] = Policies::files(&session.config.settings);
        printer.note("no policy is in force: every tool that you approve may be used");
        printer.hint(&format!(
            "an administrator writes {}; your own is {}",
            machine.display(),
            user.display()
        ));
    }
    for policy in policies.iter() {
        printer.note(&headline(policy));
        let rows = policy.rules.iter();
        let rows = rows.map(|(rule, value)| [rule.clone(), value.clone()]);
        printer.data(&table(["RULE", "VALUE"], rows.collect()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A tool, or one that it depends on, and how it fares with the rules of each policy.
struct Judged<'a> {
    name: String,
    policies: Vec<(&'a PolicyFile, Vec<RuleOutcome>)>,
}

impl Judged<'_> {
    fn passes(&self) -> bool {
        let mut outcomes = self.policies.iter().flat_map(|(_, outcomes)| outcomes);
        outcomes.all(|it| it.passes)
    }

    fn json(&self) -> Value {
        let policies = self.policies.iter().map(|(policy, outcomes)| {
            let rules = outcomes.iter().map(outcome_json);
            with_file(policy, rules.collect())
        });
        json!({
            "tool": self.name,
            "passes": self.passes(),
            "policies": policies.collect::<Vec<_>>(),
        })
    }
}

/// Judges a tool and all that it depends on by every rule, and not only up to the first that
/// refuses one of them.
fn explain_tool(tool: &str, session: &Session) -> anyhow::Result<ExitCode> {
    let Session { config, printer } = session;
    let toolbox = OpenToolbox::open(&config.settings)?;
    let key = toolbox.key(tool)?;
    let Some((_, locked)) = toolbox.locked_by_key().find(|(other, _)| *other == key) else {
        return Err(Problem::user(format!(
            "`{key}` was never approved, so nothing is known of it"
        ))
        .hint(format!("load it: tool load {key}"))
        .into());
    };
    let store = config.settings.open_store()?;
    let own_grants = match toolbox.member(tool) {
        Ok(member) => member.grants(),
        Err(_) => locked.grants.clone(),
    };
    let tree = locked.tree().into_iter().map(|(path, locked)| {
        let grants = match path.is_empty() {
            true => &own_grants,
            false => &locked.grants,
        };
        Judged {
            name: dotted(key, &path),
            policies: judge(&toolbox, locked, grants, &store),
        }
    });
    let tree: Vec<Judged<'_>> = tree.collect();
    let refused = tree.iter().filter(|it| !it.passes());
    let refused: Vec<&str> = refused.map(|it| it.name.as_str()).collect();
    if printer.wants_json() {
        let mut json = tree.iter().map(Judged::json);
        let mut whole = json.next().unwrap_or_default();
        whole["passes"] = json!(refused.is_empty());
        whole["dependencies"] = json.collect();
        printer.json(&whole)?;
    } else {
        show(&tree, printer)?;
        printer.note(&match (toolbox.policies().is_empty(), &refused[..]) {
            (true, _) => "no policy is in force".to_owned(),
            (false, []) => format!("`{key}` passes every rule"),
            (false, [first, ..]) if *first == key.as_str() => format!("`{key}` is refused"),
            (false, _) => format!("`{key}` is refused because of {}", refused.join(", ")),
        });
    }
    Ok(match refused.is_empty() {
        true => ExitCode::SUCCESS,
        false => Exit::Refused.into(),
    })
}

fn judge<'a>(
    toolbox: &'a OpenToolbox,
    locked: &LockedTool,
    grants: &Grants,
    store: &Store,
) -> Vec<(&'a PolicyFile, Vec<RuleOutcome>)> {
    // Without its bytes the rules on limits cannot be judged, and `tool verify` says why.
    let verified = store.get(&locked.pin());
    let manifest = verified.as_ref().ok().map(|verified| verified.manifest());
    let rights = RightsSubject {
        grants,
        limits: manifest.map(|manifest| &manifest.limits),
    };
    let origin = toolbox.origin_subject(locked);
    let judged = toolbox.policies().iter().map(|policy| {
        let mut outcomes = policy.judge_origin(&origin);
        outcomes.extend(policy.document.judge_rights(&rights));
        (policy, outcomes)
    });
    judged.collect()
}

/// Prints a table for each policy.
fn show(tree: &[Judged<'_>], printer: &Printer) -> anyhow::Result<()> {
    let policies = tree.first().map_or(0, |tool| tool.policies.len());
    for index in 0..policies {
        let judged = tree.iter().map(|tool| (&tool.name, &tool.policies[index]));
        let judged: Vec<_> = judged.collect();
        if let Some((_, (policy, _))) = judged.first() {
            printer.note(&headline(policy));
        }
        let rows = judged.iter().flat_map(|(name, (_, outcomes))| {
            outcomes.iter().map(move |outcome| {
                let state = if outcome.passes { "passes" } else { "refused" };
                [
                    (*name).clone(),
                    outcome.rule.to_owned(),
                    state.to_owned(),
                    outcome.expected.clone(),
                    outcome.found.clone(),
                ]
            })
        });
        let heads = ["NAME", "RULE", "STATE", "EXPECTED", "FOUND"];
        printer.data(&table(heads, rows.collect()))?;
    }
    Ok(())
}

fn headline(policy: &PolicyFile) -> String {
    let contact = policy.document.contact.as_ref();
    let contact = contact.map_or_else(String::new, |contact| format!(", ask {contact}"));
    format!("{} ({}{contact})", policy.file.display(), policy.digest)
}

fn with_file(policy: &PolicyFile, rules: Vec<Value>) -> Value {
    json!({
        "file": policy.file,
        "digest": policy.digest,
        "contact": policy.document.contact,
        "rules": rules,
    })
}

fn outcome_json(outcome: &RuleOutcome) -> Value {
    json!({
        "rule": outcome.rule,
        "passes": outcome.passes,
        "expected": outcome.expected,
        "found": outcome.found,
    })
}
