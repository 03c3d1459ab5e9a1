//! Reads from the tokens of a crate's sources which module names which, and finds circles of them.
//! Code that is compiled for tests alone is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names that lead from a crate's root to a module: one for each file.
pub(super) type ModulePath = Vec<String>;

/// How many names may stand for one another: `a` for `b`, which is imported as `c`.
const ALIASES_MAX: usize = 8;

/// The modules of one crate.
pub(super) struct Modules {
    modules: BTreeMap<ModulePath, Module>,
}

/// What one file says of others.
#[derive(Default)]
struct Module {
    /// Every path in it, imports included.
    paths: Vec<Vec<String>>,
    /// What it imports, by the names under which it is then known.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules that are compiled for tests alone.
    of_tests: BTreeSet<String>,
}

impl Modules {
    /// Reads the crate whose root file lies in `src`.
    pub(super) fn read(src: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let root = ["lib.rs", "main.rs"].map(|name| src.join(name));
        let root = root.into_iter().find(|file| file.is_file());
        let root = Module::read(&root.expect("a crate has a root"));
        add_children(src, &Vec::new(), &root, &mut modules);
        modules.insert(Vec::new(), root);
        Self { modules }
    }

    /// The modules that are on a way back to themselves, in groups that reach each other.
    pub(super) fn circles(&self) -> Vec<BTreeSet<ModulePath>> {
        circles(&self.arrows())
    }

    /// The same without the root, which holds the generated bindings of a component and is
    /// needed by the modules that it needs.
    pub(super) fn circles_below_root(&self) -> Vec<BTreeSet<ModulePath>> {
        let root = ModulePath::new();
        let mut arrows = self.arrows();
        arrows.remove(&root);
        for to in arrows.values_mut() {
            to.remove(&root);
        }
        circles(&arrows)
    }

    /// Which modules each module names; what is exported again counts where it is defined.
    pub(super) fn arrows(&self) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
        let arrows = self.modules.iter().map(|(from, module)| {
            let named = module.paths.iter();
            let named = named.filter_map(|path| self.definer(from, path, 0));
            (from.clone(), named.filter(|to| to != from).collect())
        });
        arrows.collect()
    }

    /// What modules below the root take from the root itself.
    pub(super) fn imports_from_root(&self) -> Vec<(ModulePath, String)> {
        let below = self.modules.iter().filter(|(from, _)| !from.is_empty());
        let taken = below.flat_map(|(from, module)| {
            let items = module.paths.iter().filter_map(|path| {
                let (at, rest) = self.nearest(from, path)?;
                let item = rest.first().filter(|_| at.is_empty())?;
                Some((from.clone(), item.clone()))
            });
            items.collect::<BTreeSet<_>>()
        });
        taken.collect()
    }

    /// The module that defines what `path` names in `from`.
    fn definer(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        let (at, rest) = self.nearest(from, path)?;
        let imported = rest.split_first().and_then(|(name, below)| {
            let import = self.modules[&at].imports.get(name)?;
            let whole: Vec<String> = import.iter().chain(below).cloned().collect();
            (depth < ALIASES_MAX).then(|| self.definer(&at, &whole, depth + 1))?
        });
        Some(imported.unwrap_or(at))
    }

    /// The last module that `path` leads to, and what of the path is left. None for a path to
    /// another crate.
    fn nearest(&self, from: &ModulePath, path: &[String]) -> Option<(ModulePath, Vec<String>)> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Vec::new(),
            "self" => from.clone(),
            "super" => from.split_last()?.1.to_vec(),
            name => {
                let is_ours = self.child(from, name).is_some()
                    || self.modules[from]
                        .imports
                        .get(name)
                        .is_some_and(|import| import != path);
                rest = path;
                is_ours.then(|| from.clone())?
            }
        };
        while let Some((name, below)) = rest.split_first() {
            at = match name.as_str() {
                "super" => at.split_last()?.1.to_vec(),
                name => match self.child(&at, name) {
                    Some(child) => child,
                    None => break,
                },
            };
            rest = below;
        }
        Some((at, rest.to_vec()))
    }

    fn child(&self, of: &ModulePath, name: &str) -> Option<ModulePath> {
        let child: ModulePath = of.iter().cloned().chain([name.to_owned()]).collect();
        self.modules.contains_key(&child).then_some(child)
    }
}

fn circles(arrows: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<BTreeSet<ModulePath>> {
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = arrows
        .keys()
        .map(|from| (from, reachable(from, arrows)))
        .collect();
    let mut circles = BTreeSet::new();
    for (from, there) in &reached {
        let circle = there.iter().filter(|to| reached[**to].contains(*from));
        let circle: BTreeSet<ModulePath> = circle.map(|it| (*it).clone()).collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reachable<'a>(
    from: &ModulePath,
    arrows: &'a BTreeMap<ModulePath, BTreeSet<ModulePath>>,
) -> BTreeSet<&'a ModulePath> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&ModulePath> = arrows[from].iter().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(&arrows[module]);
        }
    }
    found
}

fn add_children(
    directory: &Path,
    parent: &ModulePath,
    module: &Module,
    modules: &mut BTreeMap<ModulePath, Module>,
) {
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let file: PathBuf = entry.expect("an entry").path();
        let name = file
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_source = file.extension().is_some_and(|ending| ending == "rs");
        let is_root = parent.is_empty() && ["lib", "main"].contains(&name);
        if !is_source || is_root || module.of_tests.contains(name) {
            continue;
        }
        let child = Module::read(&file);
        let path: ModulePath = parent.iter().cloned().chain([name.to_owned()]).collect();
        add_children(&directory.join(name), &path, &child, modules);
        modules.insert(path, child);
    }
}

impl Module {
    fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).expect("a source file is UTF-8");
        let tokens: TokenStream = text.parse().expect("a source file is Rust");
        let mut module = Self::default();
        module.scan(tokens);
        module
    }

    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        while let Some(token) = rest.first() {
            let taken = match token {
                TokenTree::Punct(sign) if sign.as_char() == '#' && is_for_tests(rest) => {
                    self.skip_item(rest)
                }
                TokenTree::Ident(word) if *word == "use" => self.import(rest),
                // The path in `pub(in path)` does not use that module.
                TokenTree::Ident(word) if *word == "pub" => match rest.get(1) {
                    Some(TokenTree::Group(group))
                        if group.delimiter() == Delimiter::Parenthesis =>
                    {
                        2
                    }
                    _ => 1,
                },
                TokenTree::Ident(word) if *word == "mod" => self.inline(rest),
                TokenTree::Ident(_) => self.path(rest),
                TokenTree::Group(group) => {
                    self.scan(group.stream());
                    1
                }
                _ => 1,
            };
            rest = &rest[taken..];
        }
    }

    /// A module: how many tokens it has. One that stands in the same file is part of this one.
    fn inline(&mut self, tokens: &[TokenTree]) -> usize {
        let Some(TokenTree::Group(group)) = tokens.get(2) else {
            return 2;
        };
        let mut inner = Self::default();
        inner.scan(group.stream());
        for path in inner.paths {
            match path.first().map(String::as_str) {
                Some("super") if path[1] == "super" => self.paths.push(path[1..].to_vec()),
                Some("crate") => self.paths.push(path),
                _ => {}
            }
        }
        3
    }

    /// Skips the item after an attribute: how many tokens both have.
    fn skip_item(&mut self, tokens: &[TokenTree]) -> usize {
        let is_end = |token: &TokenTree| match token {
            TokenTree::Punct(sign) => sign.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        let end = tokens.iter().position(is_end).unwrap_or(tokens.len() - 1);
        for pair in tokens[..end].windows(2) {
            if pair[0].to_string() == "mod" {
                self.of_tests.insert(pair[1].to_string());
            }
        }
        end + 1
    }

    /// A path that is not imported: how many tokens it has.
    fn path(&mut self, tokens: &[TokenTree]) -> usize {
        let (path, taken) = segments(tokens);
        if path.len() > 1 {
            self.paths.push(path);
        }
        taken
    }

    /// An import: how many tokens it has.
    fn import(&mut self, tokens: &[TokenTree]) -> usize {
        let is_end = |token: &TokenTree| token.to_string() == ";";
        let Some(end) = tokens.iter().position(is_end) else {
            return 1;
        };
        self.tree(&[], &tokens[1..end]);
        end
    }

    /// The paths below `above`, with commas between them.
    fn tree(&mut self, above: &[String], tokens: &[TokenTree]) {
        for tokens in tokens.split(|token| token.to_string() == ",") {
            let (below, taken) = segments(tokens);
            let mut path: Vec<String> = above.iter().cloned().chain(below).collect();
            match &tokens[taken..] {
                [TokenTree::Group(group)] => {
                    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.tree(&path, &tokens);
                    continue;
                }
                [_, alias] => {
                    self.imports.insert(alias.to_string(), path.clone());
                }
                _ => {
                    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                        path.pop();
                    }
                    if let Some(name) = path.last() {
                        self.imports.insert(name.clone(), path.clone());
                    }
                }
            }
            self.paths.push(path);
        }
    }
}

/// The names at the beginning of `tokens` with `::` between them, and how many tokens those are.
fn segments(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let (mut names, mut taken) = (Vec::new(), 0);
    while let Some(TokenTree::Ident(name)) = tokens.get(taken) {
        names.push(name.to_string());
        taken += 1;
        match &tokens[taken..] {
            [
                TokenTree::Punct(one),
                TokenTree::Punct(other),
                TokenTree::Ident(_) | TokenTree::Group(_),
                ..,
            ] if one.as_char() == ':' && other.as_char() == ':' => {
                taken += 2;
            }
            _ => break,
        }
    }
    (names, taken)
}

/// Whether `tokens` begin with `#[cfg(test)]` or the like.
fn is_for_tests(tokens: &[TokenTree]) -> bool {
    let Some(TokenTree::Group(attribute)) = tokens.get(1) else {
        return false;
    };
    let attribute = attribute.stream().to_string();
    let words: Vec<&str> = attribute
        .split(|it: char| !it.is_alphanumeric() && it != '_')
        .collect();
    words[0] == "cfg" && words.contains(&"test") && !words.contains(&"not")
}
