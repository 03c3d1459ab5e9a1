//! `tool policy explain`: shows the rules in force, and which of them a tool passes.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::policy::policies::{Policies, Policy as PolicyFile};
use tool_hub_toolbox::policy::rule::RuleOutcome;
use tool_hub_toolbox::policy::subject::RightsSubject;

use crate::session::Session;
use crate::terminal::exit::Exit;
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

/// Judges a tool by every rule, and not only up to the first that refuses it.
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
    // Without its bytes the rules on limits cannot be judged, and `tool verify` says why.
    let verified = config.settings.open_store()?.get(&locked.pin());
    let manifest = verified.as_ref().ok().map(|verified| verified.manifest());
    let grants = match toolbox.member(tool) {
        Ok(member) => member.grants(),
        Err(_) => locked.grants.clone(),
    };
    let rights = RightsSubject {
        grants: &grants,
        limits: manifest.map(|manifest| &manifest.limits),
    };
    let origin = toolbox.origin_subject(locked);
    let judged: Vec<(&PolicyFile, Vec<RuleOutcome>)> = toolbox
        .policies()
        .iter()
        .map(|policy| {
            let mut outcomes = policy.document.judge_origin(&origin);
            outcomes.extend(policy.document.judge_rights(&rights));
            (policy, outcomes)
        })
        .collect();
    let passes = judged
        .iter()
        .flat_map(|(_, outcomes)| outcomes)
        .all(|it| it.passes);
    if printer.wants_json() {
        let policies = judged.iter().map(|(policy, outcomes)| {
            let rules = outcomes.iter().map(outcome_json);
            with_file(policy, rules.collect())
        });
        printer.json(&json!({
            "tool": key,
            "passes": passes,
            "policies": policies.collect::<Vec<_>>(),
        }))?;
    } else {
        for (policy, outcomes) in &judged {
            printer.note(&headline(policy));
            let rows = outcomes.iter().map(|outcome| {
                let state = if outcome.passes { "passes" } else { "refused" };
                [
                    outcome.rule.to_owned(),
                    state.to_owned(),
                    outcome.expected.clone(),
                    outcome.found.clone(),
                ]
            });
            printer.data(&table(
                ["RULE", "STATE", "EXPECTED", "FOUND"],
                rows.collect(),
            ))?;
        }
        printer.note(&match (judged.is_empty(), passes) {
            (true, _) => "no policy is in force".to_owned(),
            (false, true) => format!("`{key}` passes every rule"),
            (false, false) => format!("`{key}` is refused"),
        });
    }
    Ok(match passes {
        true => ExitCode::SUCCESS,
        false => Exit::Refused.into(),
    })
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
