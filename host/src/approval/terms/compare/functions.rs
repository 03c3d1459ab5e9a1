//! Compares functions, imports and examples in a tool's approved and new terms; lists the changes.

use std::collections::{BTreeMap, BTreeSet};

use tool_hub_manifest::{Annotations, Confirmation, FunctionName, FunctionSpec, Version};

use crate::approval::inspection::imports::{ImportAccess, InspectedImport};
use crate::approval::terms::compare::{Beyond, Changes, Code, Less, paired};
use crate::component::function::CallableFunction;

impl Changes {
    /// Compares imports by power. A new power needs approval. Within a power that was there before,
    /// other functions count as a change of code, except those that reach the person or other
    /// tools: asking a question is more than showing progress.
    pub(super) fn imports(&mut self, old: &[InspectedImport], new: &[InspectedImport]) {
        let (old, new) = (by_access(old), by_access(new));
        let mut accesses: BTreeSet<ImportAccess> = old.keys().copied().collect();
        accesses.extend(new.keys());
        for access in accesses {
            let none = ImportedFunctions::new();
            let before = old.get(&access).unwrap_or(&none);
            let after = new.get(&access).unwrap_or(&none);
            let names_functions = matches!(access, ImportAccess::Person | ImportAccess::Toolbox);
            let lost = beyond(before, after, names_functions);
            let gained = beyond(after, before, names_functions);
            let kind = match access {
                _ if gained.is_none() => Less,
                ImportAccess::Nothing => Code,
                ImportAccess::Person | ImportAccess::Toolbox => Beyond,
                _ if before.is_empty() => Beyond,
                _ => Code,
            };
            if lost.is_some() || gained.is_some() {
                self.add(format!("imports ({access})"), lost, gained, kind);
            }
        }
    }

    pub(super) fn functions(&mut self, old: &[CallableFunction], new: &[CallableFunction]) {
        for pair in paired(old, new, |function| &function.name) {
            match pair {
                (Some(old), Some(new)) => self.function(old, new),
                (Some(old), None) => {
                    let before = old.spec.description.clone();
                    self.add(format!("function {}", old.name), Some(before), None, Less);
                }
                (None, Some(new)) => {
                    let after = new.spec.description.clone();
                    self.add(format!("function {}", new.name), None, Some(after), Beyond);
                }
                (None, None) => {}
            }
        }
    }

    fn function(&mut self, old: &CallableFunction, new: &CallableFunction) {
        let CallableFunction {
            name,
            export,
            inputs,
            output,
            confirm,
            spec,
        } = old;
        let FunctionSpec {
            name: _,
            title,
            description,
            input_schema,
            output_schema,
            annotations,
        } = spec;
        let what = |part: &str| format!("{name}: {part}");
        let title = title.as_deref();
        let new_title = new.spec.title.as_deref();
        self.option(&what("title"), title, new_title, Beyond);
        self.text(&what("description"), description, &new.spec.description);
        let (old_export, new_export) = (export.to_string(), new.export.to_string());
        self.text(&what("export"), &old_export, &new_export);
        self.json(&what("inputs"), input_schema, &new.spec.input_schema);
        if *input_schema == new.spec.input_schema {
            self.json(&what("inputs"), inputs, &new.inputs);
        }
        let new_schema = &new.spec.output_schema;
        self.json(&what("output"), output_schema, new_schema);
        if output_schema == new_schema {
            self.json(&what("output"), output, &new.output);
        }
        match (confirm, &new.confirm) {
            // Whoever is asked more often has granted no more.
            (None, Some(now)) => self.add(what("confirm"), None, Some(now.to_string()), Less),
            (before, now) => {
                let shown = |it: &Option<Confirmation>| it.as_ref().map(ToString::to_string);
                let (before, now) = (shown(before), shown(now));
                self.option(&what("confirm"), before.as_deref(), now.as_deref(), Beyond);
            }
        }
        let Annotations {
            read_only,
            idempotent,
            destructive,
            open_world,
        } = annotations;
        let hints = &new.spec.annotations;
        self.json(&what("read only"), read_only, &hints.read_only);
        self.json(&what("idempotent"), idempotent, &hints.idempotent);
        self.json(&what("destructive"), destructive, &hints.destructive);
        self.json(&what("open world"), open_world, &hints.open_world);
    }

    /// Compares values as JSON; a missing one is `null`.
    fn json<T: serde::Serialize + PartialEq>(&mut self, what: &str, old: &T, new: &T) {
        if old != new {
            let json = |value: &T| serde_json::to_string(value).ok();
            let some = |text: &String| text != "null";
            let (old, new) = (json(old).filter(some), json(new).filter(some));
            self.add(what, old, new, Beyond);
        }
    }

    pub(super) fn examples(
        &mut self,
        old: &BTreeMap<FunctionName, String>,
        new: &BTreeMap<FunctionName, String>,
    ) {
        self.each_text(old, new, "examples");
    }
}

/// The interfaces that a tool imports, and the functions it takes from each.
type ImportedFunctions<'a> = BTreeMap<String, BTreeSet<&'a str>>;

/// The imports, grouped by power.
fn by_access(imports: &[InspectedImport]) -> BTreeMap<ImportAccess, ImportedFunctions<'_>> {
    let mut accesses: BTreeMap<ImportAccess, ImportedFunctions<'_>> = BTreeMap::new();
    for import in imports {
        // The effect of an import follows from its power and the manifest's requests.
        let InspectedImport {
            interface,
            access,
            effect: _,
            says: _,
            functions,
        } = import;
        let imported = accesses.entry(*access).or_default();
        let known = imported.entry(without_patch(interface)).or_default();
        known.extend(functions.iter().map(String::as_str));
    }
    accesses
}

/// `wasi:io/poll@0.2` for `wasi:io/poll@0.2.6`: the host links all patch versions alike, and every
/// newer toolchain raises them.
fn without_patch(interface: &str) -> String {
    let wasi = interface.strip_prefix("wasi:").and_then(|_| {
        let (path, version) = interface.split_once('@')?;
        let version: Version = version.parse().ok()?;
        let is_release = version.pre.is_empty();
        is_release.then(|| format!("{path}@{}.{}", version.major, version.minor))
    });
    wasi.unwrap_or_else(|| interface.to_owned())
}

/// The imports in `these` and not in `those`, for people: whole interfaces by name, functions of
/// interfaces in both by name or by number.
fn beyond(
    these: &ImportedFunctions<'_>,
    those: &ImportedFunctions<'_>,
    names_functions: bool,
) -> Option<String> {
    let none = BTreeSet::new();
    let listed = these.iter().filter_map(|(interface, functions)| {
        let known = those.get(interface);
        let more: Vec<&str> = functions
            .difference(known.unwrap_or(&none))
            .copied()
            .collect();
        match (known, more.as_slice()) {
            (Some(_), []) => None,
            (_, [_, ..]) if names_functions => Some(format!("{interface} {}", more.join(" "))),
            (None, _) => Some(interface.clone()),
            (Some(_), [only]) => Some(format!("{interface} {only}")),
            (Some(_), more) => Some(format!("{} functions of {interface}", more.len())),
        }
    });
    let listed: Vec<String> = listed.collect();
    (!listed.is_empty()).then(|| listed.join(", "))
}
