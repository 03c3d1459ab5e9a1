//! Compares approved terms of a tool with new ones, and lists the changes with their severity.
//! No other code compares terms.

mod capabilities;
mod functions;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use tool_hub_manifest::{
    Digest, FunctionName, Icon, Overrides, PackageSigner, Pin, Source, ToolName, Version,
};

use crate::approval::terms::{Change, ChangeKind, Terms};
use crate::component::function::NotCallable;
use crate::component::packages::IncludedPackage;

use ChangeKind::{Beyond, Code, Less, Newer};

/// The most packages that a change names.
const PACKAGES_SHOWN_MAX: usize = 20;

impl Terms {
    /// All differences between these terms, which were approved, and `new`. If there are none,
    /// `new` is the approved tool, byte for byte and from the same place.
    pub fn changes(&self, new: &Self) -> Vec<Change> {
        // Destructured, so that a new field does not compile until it is compared.
        let Self {
            source,
            signer,
            built_from,
            attested_by,
            pin,
            name,
            version,
            description,
            license,
            icon,
            capabilities,
            limits,
            imports,
            functions,
            examples,
            not_callable,
            prompts,
            resources,
            overrides,
            interpreter,
            packages,
            server,
            dependencies,
        } = self;
        let mut found = Changes::default();
        let order = found.version(version, &new.version);
        found.source(source, &new.source, order);
        found.bytes(pin, &new.pin, order, new.texts_in_code());
        found.interpreter(*interpreter, new.interpreter, order, new.texts_in_code());
        found.packages(packages, &new.packages);
        found.server(server.as_ref(), new.server.as_ref());
        let [old_signer, new_signer] =
            [signer, &new.signer].map(|it| it.as_ref().map(|signer| signer.to_string()));
        found.option(
            "signer",
            old_signer.as_deref(),
            new_signer.as_deref(),
            Beyond,
        );
        found.built_from(built_from.as_deref(), new.built_from.as_deref());
        found.attested_by(attested_by, &new.attested_by);
        found.text("name", name.as_str(), new.name.as_str());
        found.text("description", description, &new.description);
        let (old_license, new_license) = (license.as_deref(), new.license.as_deref());
        found.option("license", old_license, new_license, Beyond);
        found.icon(icon.as_ref(), new.icon.as_ref());
        found.capabilities(capabilities, &new.capabilities);
        found.limits(limits, &new.limits);
        found.imports(imports, &new.imports);
        found.offered("prompts", *prompts, new.prompts);
        found.offered("resources", *resources, new.resources);
        found.functions(functions, &new.functions);
        found.examples(examples, &new.examples);
        found.not_callable(not_callable, &new.not_callable);
        found.overrides(overrides, &new.overrides);
        found.dependencies(dependencies, &new.dependencies);
        found.0
    }

    /// The tool in few words, for whoever depends on it.
    fn in_short(&self) -> String {
        format!("{} {}", place(&self.source).0, self.version)
    }

    /// Says which texts for agents come from the code; `None` if all are in the manifest.
    fn texts_in_code(&self) -> Option<&'static str> {
        match (self.prompts, self.resources) {
            (true, true) => Some("code, from which the texts of the prompts and resources come"),
            (true, false) => Some("code, from which the texts of the prompts come"),
            (false, true) => Some("code, from which the texts of the resources come"),
            (false, false) => None,
        }
    }
}

impl Change {
    /// All differences between the overrides in the approved `old` and in `new`.
    pub fn between_overrides(old: &Overrides, new: &Overrides) -> Vec<Self> {
        let mut found = Changes::default();
        found.overrides(old, new);
        found.0
    }
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add(
        &mut self,
        what: impl Into<String>,
        before: Option<String>,
        after: Option<String>,
        kind: ChangeKind,
    ) {
        self.0.push(Change {
            what: what.into(),
            before,
            after,
            kind,
        });
    }

    /// Compares an optional part. Any change needs a person's approval, except its removal, which
    /// has the severity `lost`.
    fn option(&mut self, what: &str, old: Option<&str>, new: Option<&str>, lost: ChangeKind) {
        if old != new {
            let kind = if new.is_none() { lost } else { Beyond };
            let owned = |text: Option<&str>| text.map(str::to_owned);
            self.add(what, owned(old), owned(new), kind);
        }
    }

    /// Compares the repositories that a build service built the versions from. The first one takes
    /// nothing away.
    fn built_from(&mut self, old: Option<&str>, new: Option<&str>) {
        if old.is_some() {
            self.option("built from", old, new, Beyond);
        }
    }

    /// Compares those whose attestations were verified. The first ones, and more, take nothing
    /// away.
    fn attested_by(&mut self, old: &BTreeSet<PackageSigner>, new: &BTreeSet<PackageSigner>) {
        if !old.is_subset(new) {
            let [before, after] = [old, new].map(|publishers| {
                let names: Vec<String> = publishers.iter().map(ToString::to_string).collect();
                (!names.is_empty()).then(|| names.join(", "))
            });
            self.option("attested by", before.as_deref(), after.as_deref(), Beyond);
        }
    }

    /// Compares the interpreters of programs, which are code: what they run may make texts for
    /// agents.
    fn interpreter(
        &mut self,
        old: Option<Digest>,
        new: Option<Digest>,
        order: Ordering,
        texts_in_code: Option<&str>,
    ) {
        if old != new {
            let text = |digest: Option<Digest>| digest.map(|digest| digest.to_string());
            let kind = match (order, texts_in_code) {
                (Ordering::Equal, _) | (_, Some(_)) => Beyond,
                (_, None) => Code,
            };
            self.add("interpreter", text(old), text(new), kind);
        }
    }

    /// Compares the packages that the code is made of, as the author lists them. Another list alone
    /// is looked at like other code.
    fn packages(&mut self, old: &[IncludedPackage], new: &[IncludedPackage]) {
        let (before, after) = (only_in(old, new), only_in(new, old));
        if before.is_some() || after.is_some() {
            self.add("packages", before, after, Code);
        }
    }

    /// Compares the tools that it calls. What differs in one is told under its name.
    fn dependencies(&mut self, old: &BTreeMap<ToolName, Terms>, new: &BTreeMap<ToolName, Terms>) {
        let names: BTreeSet<&ToolName> = old.keys().chain(new.keys()).collect();
        for name in names {
            let what = format!("dependency {name}");
            match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => {
                    self.0
                        .extend(old.changes(new).into_iter().map(|change| Change {
                            what: format!("{what}: {}", change.what),
                            ..change
                        }));
                }
                (before, after) => {
                    let [before, after] = [before, after].map(|it| it.map(Terms::in_short));
                    self.option(&what, before.as_deref(), after.as_deref(), Less);
                }
            }
        }
    }

    /// Compares servers, of which any change is one of a process.
    fn server(&mut self, old: Option<&[String; 2]>, new: Option<&[String; 2]>) {
        for (at, what) in ["started as", "calls itself"].into_iter().enumerate() {
            let text = |server: Option<&[String; 2]>| server.map(|texts| texts[at].clone());
            let (before, after) = (text(old), text(new));
            self.option(what, before.as_deref(), after.as_deref(), Beyond);
        }
    }

    /// Compares a text; an empty one counts as missing.
    fn text(&mut self, what: &str, old: &str, new: &str) {
        let some = |text| Some(text).filter(|text: &&str| !text.is_empty());
        self.option(what, some(old), some(new), Beyond);
    }

    /// Compares a part that is either offered or not.
    fn offered(&mut self, what: &str, old: bool, new: bool) {
        let some = |is| if is { Some("offered") } else { None };
        self.option(what, some(old), some(new), Less);
    }

    fn version(&mut self, old: &Version, new: &Version) -> Ordering {
        // Build metadata after `+` does not count for precedence.
        let order = new.cmp_precedence(old);
        let (what, kind) = match order {
            Ordering::Greater => ("version", Newer),
            Ordering::Equal => ("version (not newer)", Beyond),
            Ordering::Less => ("version (downgrade)", Beyond),
        };
        if old != new {
            self.add(what, Some(old.to_string()), Some(new.to_string()), kind);
        }
        order
    }

    fn source(&mut self, old: &Source, new: &Source, order: Ordering) {
        let (old, old_commit) = place(old);
        let (new, new_commit) = place(new);
        self.text("from", &old, &new);
        if old == new && old_commit != new_commit {
            let (what, kind) = match order {
                Ordering::Greater => ("commit", Newer),
                Ordering::Equal => ("commit, although the version is the same", Beyond),
                Ordering::Less => ("commit", Beyond),
            };
            self.add(what, old_commit, new_commit, kind);
        }
    }

    /// Compares manifest and component. Approving a tool approves the texts that agents read of
    /// it. Those that are `texts_in_code` stand in no manifest, so other code may be other texts.
    fn bytes(&mut self, old: &Pin, new: &Pin, order: Ordering, texts_in_code: Option<&str>) {
        if order == Ordering::Equal && old.manifest != new.manifest {
            let (old, new) = (old.manifest.to_string(), new.manifest.to_string());
            let what = "manifest, although the version is the same";
            self.add(what, Some(old), Some(new), Beyond);
        }
        if old.component != new.component {
            let (old, new) = (old.component.to_string(), new.component.to_string());
            let (what, kind) = match (order, texts_in_code) {
                (Ordering::Equal, _) => ("code, although the version is the same", Beyond),
                (_, Some(what)) => (what, Beyond),
                (_, None) => ("code", Code),
            };
            self.add(what, Some(old), Some(new), kind);
        }
    }

    fn icon(&mut self, old: Option<&Icon>, new: Option<&Icon>) {
        let shown = |icon: &Icon| Digest::of(icon.uri().as_bytes()).to_string();
        let (old, new) = (old.map(shown), new.map(shown));
        self.option("icon", old.as_deref(), new.as_deref(), Less);
    }

    fn not_callable(&mut self, old: &[NotCallable], new: &[NotCallable]) {
        for pair in paired(old, new, |export| &export.export) {
            let reason = |export: &NotCallable| {
                let NotCallable { export: _, reason } = export;
                reason.clone()
            };
            let (before, after) = (pair.0.map(reason), pair.1.map(reason));
            if before != after
                && let Some(export) = pair.0.or(pair.1)
            {
                let what = format!("{} cannot be called", export.export);
                self.add(what, before, after, Code);
            }
        }
    }

    fn overrides(&mut self, old: &Overrides, new: &Overrides) {
        let Overrides {
            description,
            functions,
        } = old;
        let what = "description in toolbox.toml";
        let (old, new_text) = (description.as_deref(), new.description.as_deref());
        self.option(what, old, new_text, Beyond);
        self.each_text(functions, &new.functions, what);
    }

    fn each_text(
        &mut self,
        old: &BTreeMap<FunctionName, String>,
        new: &BTreeMap<FunctionName, String>,
        what: &str,
    ) {
        let mut names: BTreeSet<&FunctionName> = old.keys().collect();
        names.extend(new.keys());
        for name in names {
            let text = |texts: &BTreeMap<FunctionName, String>| texts.get(name).cloned();
            let (before, after) = (text(old), text(new));
            let what = format!("{name}: {what}");
            self.option(&what, before.as_deref(), after.as_deref(), Beyond);
        }
    }
}

/// The packages of `these` that are not among `others`, on one line; `None` if there are none.
fn only_in(these: &[IncludedPackage], others: &[IncludedPackage]) -> Option<String> {
    let others: BTreeSet<&IncludedPackage> = others.iter().collect();
    let only: Vec<&IncludedPackage> = these.iter().filter(|it| !others.contains(it)).collect();
    let shown = only.iter().take(PACKAGES_SHOWN_MAX);
    let shown = shown.map(|package| {
        let IncludedPackage {
            registry,
            name,
            version,
            license,
            origin,
            hash: _,
        } = package;
        let license = license.as_deref().unwrap_or("no license said");
        let from = origin.as_ref().map_or(registry.title(), |it| it.as_str());
        format!("{name} {version} ({from}, {license})")
    });
    let mut shown: Vec<String> = shown.collect();
    if only.len() > PACKAGES_SHOWN_MAX {
        shown.push(format!("{} more", only.len() - PACKAGES_SHOWN_MAX));
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// The source of a tool, and its commit there.
fn place(source: &Source) -> (String, Option<String>) {
    let commit = match source {
        Source::Registry { commit, .. } => Some(commit.to_string()),
        Source::File { .. } | Source::Server { .. } => None,
    };
    (source.to_string(), commit)
}

/// Pairs items by name: first the old ones in their order, then those that are new.
fn paired<'a, T, N: PartialEq>(
    old: &'a [T],
    new: &'a [T],
    name: impl Fn(&T) -> &N + Copy,
) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let same = |one: &T, list: &'a [T]| {
        let mut list = list.iter();
        list.find(|other| name(other) == name(one))
    };
    let kept = old.iter().map(|one| (Some(one), same(one, new)));
    let added = new.iter().filter(|one| same(one, old).is_none());
    kept.chain(added.map(|one| (None, Some(one)))).collect()
}
