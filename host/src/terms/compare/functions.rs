//! Compares functions and imports.

use std::collections::{BTreeMap, BTreeSet};

use tool_hub_manifest::{Annotations, FunctionName, FunctionSpec};

use super::{Beyond, Changes, Code, Less, paired};
use crate::{CallableFunction, InspectedImport, Power};

impl Changes {
    /// Compares imports by power. A new power needs approval. Within a power that was there before,
    /// other functions count as a change of code, except those that reach the person or other
    /// tools: asking a question is more than showing progress.
    pub(super) fn imports(&mut self, old: &[InspectedImport], new: &[InspectedImport]) {
        let (old, new) = (by_power(old), by_power(new));
        let mut powers: BTreeSet<Power> = old.keys().copied().collect();
        powers.extend(new.keys());
        for power in powers {
            let none = BTreeSet::new();
            let before = old.get(&power).unwrap_or(&none);
            let after = new.get(&power).unwrap_or(&none);
            let list = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
                let names: Vec<&str> = these.difference(those).map(String::as_str).collect();
                Some(names.join(", ")).filter(|names| !names.is_empty())
            };
            let (lost, gained) = (list(before, after), list(after, before));
            let kind = match power {
                _ if gained.is_none() => Less,
                Power::Nothing => Code,
                Power::Person | Power::Toolbox => Beyond,
                _ if before.is_empty() => Beyond,
                _ => Code,
            };
            if lost.is_some() || gained.is_some() {
                self.add(format!("imports ({power})"), lost, gained, kind);
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

/// The imported functions, grouped by power. An interface of which only types are imported is
/// listed by its own name.
fn by_power(imports: &[InspectedImport]) -> BTreeMap<Power, BTreeSet<String>> {
    let mut powers: BTreeMap<Power, BTreeSet<String>> = BTreeMap::new();
    for import in imports {
        // The effect of an import follows from its power and the manifest's requests.
        let InspectedImport {
            interface,
            power,
            effect: _,
            says: _,
            functions,
        } = import;
        let names = powers.entry(*power).or_default();
        names.insert(interface.clone());
        let functions = functions.iter();
        names.extend(functions.map(|function| format!("{interface} {function}")));
    }
    powers
}
