//! `tool load`: pulls a tool, verifies it, shows it, asks for consent, records it and compiles.

mod approving;
mod from_bundle;
pub(crate) mod loaded;
pub(crate) mod refusals;
pub(crate) mod shown;

use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::{AdvisoryId, Digest, ToolKey};
use tool_hub_registry_client::AllowedYanks;
use tool_hub_toolbox::advisories::allowed::AllowedAdvisories;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions, Purpose};
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::subject::Subject;
use tool_hub_toolbox::target::{self, Target};

use crate::consent::approval::ApprovalFlags;
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::maker_flags::MakerFlags;
use crate::servers::command_line::server_named;
use crate::servers::fetching::{self as server_fetching, FetchedServer, WantedServer};
use crate::session::Session;
use crate::toolbox::fetching;
use approving::{ConsentFlags, approve_and_load};
use from_bundle::WantedTools;
use loaded::Loaded;

/// Arguments of `tool load`.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// owner/name, owner/name@version, a path to a component, package or project, a bundle, or
    /// the name of a tool of the toolbox, to load it anew
    ///
    /// A bundle is a file x.tools that `tool bundle` wrote. All its tools are loaded, or those
    /// whose names follow, and nobody is asked over the network.
    ///
    /// An MCP server is mcp:PROGRAM with its arguments, after all flags of `tool`, such as
    /// mcp:npx -y @modelcontextprotocol/server-memory, or mcp+https://… for a remote one.
    tool: Subject,

    /// The arguments of an MCP server's program, or the names of a bundle's tools
    #[arg(value_name = "ARGUMENT", hide = true)]
    words: Vec<String>,

    /// Agree without asking to the start of an MCP server, by the digest that is shown for it
    #[arg(long, value_name = "DIGEST")]
    start: Option<Digest>,

    /// The name that agents will see [default: the tool's own]
    ///
    /// A name that a tool of another place has goes over to this one. A warning says so, and
    /// so does the question at a terminal; with --approve the digest is the consent.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<ToolKey>,

    /// Load a version although its owner yanked it; never one that is malicious
    #[arg(long)]
    allow_yanked: bool,

    /// Load the newest version however new it is
    ///
    /// Others are passed over until they are as old as `release_age_days` in `config.toml` says,
    /// by the log of the registry.
    #[arg(long)]
    allow_new: bool,
    /// Load a version although this advisory refuses it; the lock records it; repeatable
    #[arg(long, value_name = "ID")]
    allow_advisory: Vec<AdvisoryId>,

    #[command(flatten)]
    makers: MakerFlags,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Load {
    /// `tool load TOOL --as NAME` with the flags of `approval`.
    pub(crate) fn new(tool: Subject, name: Option<ToolKey>, approval: ApprovalFlags) -> Self {
        Self {
            tool,
            words: Vec::new(),
            start: None,
            name,
            allow_yanked: false,
            allow_new: false,
            allow_advisory: Vec::new(),
            makers: MakerFlags::default(),
            approval,
        }
    }

    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        if let Some(path) = self.tool.bundle(&session.config.settings) {
            let wanted = WantedTools {
                path: &path,
                names: &self.words,
                key: self.name.as_ref(),
                options: self.options(),
                makers: &self.makers,
                approval: &self.approval,
            };
            return from_bundle::load(&wanted, session).await;
        }
        self.load(session).await?.report(&session.printer)
    }

    fn options(&self) -> FetchOptions {
        FetchOptions {
            asked: CapabilityFlags::of(&self.approval.rights).capabilities(),
            allowed_yanks: match self.allow_yanked {
                true => AllowedYanks::All,
                false => AllowedYanks::None,
            },
            allowed_new: match self.allow_new {
                true => AllowedNew::Any,
                false => AllowedNew::None,
            },
            allowed_advisories: AllowedAdvisories::Named(
                self.allow_advisory.iter().cloned().collect(),
            ),
            purpose: Purpose::Use,
            ..FetchOptions::default()
        }
    }

    /// Shows the tool, asks for consent, and records it.
    ///
    /// # Errors
    /// When it cannot be fetched, is refused or not approved, or cannot be recorded.
    pub(crate) async fn load(&self, session: &Session) -> anyhow::Result<Loaded> {
        let config = &session.config;
        let target = Target::of(&self.tool, &config.settings)?;
        if let Some(address) = server_named(&target.subject, &self.words, config)? {
            let wanted = WantedServer {
                address: &address,
                key: self.name.as_ref().or(target.known_key()),
                rights: &self.approval.rights,
                start: self.start,
            };
            return load_server(&wanted, &self.approval, session).await;
        }
        let options = self.options();
        let (subject, endpoint) = (&target.subject, &target.endpoint);
        let fetched = fetching::fetch(subject, options, endpoint, session).await?;
        self.makers.check(&fetched)?;
        let key = self.name.clone().unwrap_or_else(|| target.key(&fetched));
        let entry = target::entry(&fetched, &key, &OpenToolbox::open(&config.settings)?);
        let consent = ConsentFlags {
            approval: &self.approval,
            makers: &self.makers,
            started_with: None,
        };
        let locked = approve_and_load(&key, &entry, &fetched, consent, session).await?;
        Ok(Loaded {
            key,
            locked,
            fetched,
        })
    }
}

/// Loads the MCP server that is `wanted`: starts it once somebody agreed to that, shows its tools,
/// obtains consent by `flags` or at the terminal, and records it.
///
/// # Errors
/// When it cannot be started, is not approved, or cannot be recorded.
pub(crate) async fn load_server(
    wanted: &WantedServer<'_>,
    flags: &ApprovalFlags,
    session: &Session,
) -> anyhow::Result<Loaded> {
    let FetchedServer {
        key,
        fetched,
        grants,
    } = server_fetching::fetch(wanted, session).await?;
    let entry = target::entry(
        &fetched,
        &key,
        &OpenToolbox::open(&session.config.settings)?,
    );
    let consent = ConsentFlags {
        approval: flags,
        makers: &MakerFlags::default(),
        started_with: Some(grants),
    };
    let locked = approve_and_load(&key, &entry, &fetched, consent, session).await?;
    Ok(Loaded {
        key,
        locked,
        fetched,
    })
}
