//! No two files of a crate use each other, directly or through others.
//!
//! A file uses another one if it names an item that is defined there, by `use` or by a path that
//! begins with `crate`, `self`, `super` or a child module. Names are followed through re-exports to
//! the file of the definition, so a `lib.rs` that only re-exports its modules is used by none of
//! them. Unit tests do not count.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{Attribute, Item, UseTree, ext::IdentExt, visit::Visit};

use crate::{check, top};

/// A module's path below its crate: `["idle", "event"]`, empty for the crate itself.
type ModulePath = Vec<String>;

/// What one file defines and which paths it names.
#[derive(Default)]
struct Module {
    /// Names of the items that the file defines, child modules among them.
    defined: BTreeSet<String>,
    /// Names that `use` brings into scope, with the path each stands for.
    imported: BTreeMap<String, Vec<String>>,
    /// Paths of glob imports, `super` for `use super::*`.
    globs: Vec<Vec<String>>,
    /// Every path of two or more segments, those of `use` included.
    named: BTreeSet<Vec<String>>,
}

/// The last segment of the path that stands for a glob import.
const GLOB: &str = "*";

/// More than any chain of re-exports has; beyond, names stand for each other.
const MOST_HOPS: usize = 8;

/// The modules of one crate.
type Modules = BTreeMap<ModulePath, Module>;

#[test]
fn files_of_a_crate_do_not_use_each_other_in_a_circle() {
    let crates = fs::read_dir(top().join("crates")).expect("crates can be listed");
    let crates = crates.map(|entry| entry.expect("an entry").path());
    let mut faults = Vec::new();
    for dir in crates.chain([top().join("benchsuite")]).filter(|dir| dir.join("src").is_dir()) {
        let name = dir.file_name().expect("a crate has a name").to_string_lossy().into_owned();
        for circle in circles(&uses(&modules_of(&dir.join("src")))) {
            faults.push(format!("{name}: {}", circle.join(" -> ")));
        }
    }
    check(faults);
}

#[test]
fn a_circle_is_found_through_a_re_export() {
    let source = |text: &str| module_of(&syn::parse_file(text).expect("the text is Rust"));
    let modules = |b: &str| {
        let root = source("mod a; mod b; pub use a::A; pub fn f() {}");
        let a = source("use crate::b::B; pub struct A;");
        let named = |name: &str| vec![name.to_string()];
        Modules::from([(vec![], root), (named("a"), a), (named("b"), source(b))])
    };
    assert_eq!(circles(&uses(&modules("use crate::A; pub struct B(A);"))), [["a", "b"]]);
    assert_eq!(circles(&uses(&modules("pub struct B; fn g() { crate::a::A; }"))), [["a", "b"]]);
    assert_eq!(circles(&uses(&modules("use super::f; pub struct B;"))), [["a", "b", "lib"]]);
    assert_eq!(
        circles(&uses(&modules("pub struct B; #[cfg(test)] mod t { use crate::A; }"))),
        NONE
    );
    assert_eq!(circles(&uses(&modules("use std::a::A; pub struct B;"))), NONE);
}

/// No circle at all.
const NONE: [Vec<String>; 0] = [];

/// Every module of the crate whose sources lie in `src`.
fn modules_of(src: &Path) -> Modules {
    let mut modules = Modules::new();
    let mut waiting = vec![src.to_path_buf()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(&dir).expect("a source directory can be listed") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            if name == "tests" {
                continue;
            } else if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file can be read");
                let file = syn::parse_file(&text).expect("a source file is Rust");
                modules.insert(module_path(src, &path), module_of(&file));
            }
        }
    }
    modules
}

/// `idle/event.rs` is `["idle", "event"]`, `idle/mod.rs` is `["idle"]`, `lib.rs` is `[]`.
fn module_path(src: &Path, file: &Path) -> ModulePath {
    let below = file.strip_prefix(src).expect("a module lies below src").with_extension("");
    let mut path: ModulePath =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|last| last == "mod") || path == ["lib"] || path == ["main"] {
        path.pop();
    }
    path
}

/// Collects the definitions and the paths of `file`, without those of its unit tests.
fn module_of(file: &syn::File) -> Module {
    let mut module = Module::default();
    module.visit_file(file);
    module
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes(item).iter().any(is_for_tests) {
            return;
        }
        if let Some(name) = defined_name(item) {
            self.defined.insert(name);
        }
        if let Item::Use(item) = item
            && item.leading_colon.is_none()
        {
            self.import(&mut Vec::new(), &item.tree);
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let segments = path.segments.iter().map(|segment| segment.ident.unraw().to_string());
            self.named.insert(segments.collect());
        }
        syn::visit::visit_path(self, path);
    }
}

impl Module {
    /// Notes what `tree`, which stands behind `prefix` in a `use`, brings into scope.
    fn import(&mut self, prefix: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.unraw().to_string());
                self.import(prefix, &path.tree);
                prefix.pop();
            }
            UseTree::Name(name) => self.bind(prefix, &name.ident, &name.ident),
            UseTree::Rename(rename) => self.bind(prefix, &rename.ident, &rename.rename),
            UseTree::Glob(_) => self.globs.push(prefix.clone()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(prefix, tree));
            }
        }
    }

    fn bind(&mut self, prefix: &[String], ident: &syn::Ident, alias: &syn::Ident) {
        let mut path = prefix.to_vec();
        if ident != "self" {
            path.push(ident.unraw().to_string());
        }
        let name = if alias == "self" { path.last().cloned() } else { Some(alias.to_string()) };
        self.imported.insert(name.unwrap_or_default(), path.clone());
        self.named.insert(path);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an attribute is `#[cfg(test)]`, `#[cfg(all(test, …))]` or the like.
fn is_for_tests(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let words = list.tokens.to_string();
    let mut words = words.split(|c: char| !c.is_alphanumeric());
    list.path.is_ident("cfg") && words.any(|word| word == "test" || word == "loom")
}

/// The name of the item, if it is one that other files can name.
fn defined_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.unraw().to_string())
}

/// Which file uses which, by the names of their modules.
fn uses(modules: &Modules) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses = BTreeMap::new();
    for (at, module) in modules {
        // A glob import uses the module itself.
        let globs = module.globs.iter().map(|path| [path.as_slice(), &[GLOB.to_string()]].concat());
        let paths = module.named.iter().cloned().chain(globs);
        let used: BTreeSet<String> = paths
            .filter_map(|path| definition(modules, at, &path, 0))
            .filter(|file| file != at)
            .map(|file| name_of(&file))
            .collect();
        uses.insert(name_of(at), used);
    }
    uses
}

/// `idle::event`, or `lib` for the crate itself.
fn name_of(path: &[String]) -> String {
    if path.is_empty() { "lib".to_string() } else { path.join("::") }
}

/// The module that defines what `path` names in the module `at`; `None` if another crate does.
fn definition(
    modules: &Modules,
    at: &[String],
    path: &[String],
    hops: usize,
) -> Option<ModulePath> {
    let (first, mut rest) = path.split_first()?;
    let mut module = match first.as_str() {
        "crate" => Vec::new(),
        "self" => at.to_vec(),
        "super" => at[..at.len().checked_sub(1)?].to_vec(),
        name => {
            let here = modules.get(at)?;
            match here.imported.get(name) {
                Some(path) if hops < MOST_HOPS && path[0] != *name => {
                    return definition(modules, at, &[path, rest].concat(), hops + 1);
                }
                _ if here.defined.contains(name) => {
                    rest = path;
                    at.to_vec()
                }
                _ => return None,
            }
        }
    };
    while let Some((name, after)) = rest.split_first() {
        if name == "super" {
            module.pop()?;
        } else {
            let child = [module.as_slice(), std::slice::from_ref(name)].concat();
            if !modules.contains_key(&child) {
                return item(modules, module, name, after, hops);
            }
            module = child;
        }
        rest = after;
    }
    // The path of a module alone: the use of it is seen where its items are named.
    None
}

/// The module that defines `name`, an item of `module` that is no module of its own.
fn item(
    modules: &Modules,
    module: ModulePath,
    name: &str,
    after: &[String],
    hops: usize,
) -> Option<ModulePath> {
    let here = modules.get(&module)?;
    if here.defined.contains(name) || name == GLOB {
        return Some(module);
    }
    if hops > MOST_HOPS {
        return None;
    }
    if let Some(path) = here.imported.get(name) {
        return definition(modules, &module, &[path, after].concat(), hops + 1);
    }
    here.globs.iter().find_map(|glob| {
        let path = [glob.as_slice(), &[name.to_string()], after].concat();
        definition(modules, &module, &path, hops + 1)
    })
}

/// Every set of files that use each other in a circle, each sorted by name.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|file| (file, reachable(uses, file))).collect();
    let mut circles: Vec<Vec<String>> = uses
        .keys()
        .filter(|file| reach[file].contains(file))
        .map(|file| {
            let both =
                |other: &&&String| reach[file].contains(**other) && reach[**other].contains(file);
            uses.keys()
                .collect::<Vec<_>>()
                .iter()
                .filter(both)
                .map(|name| (*name).clone())
                .collect()
        })
        .collect();
    circles.sort();
    circles.dedup();
    circles
}

/// Every file that `from` uses, directly or through others.
fn reachable<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<&String> = uses[from].iter().collect();
    while let Some(file) = waiting.pop() {
        if found.insert(file) {
            waiting.extend(uses.get(file).into_iter().flatten());
        }
    }
    found
}
