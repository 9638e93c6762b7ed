//! Every dependency has a reason in CONTRIBUTING.md, and every reason a dependency.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use crate::{check, files, top};

/// Where a dependency is used, in the words of the table.
type Places = BTreeSet<&'static str>;

/// The places that the table names. A dependency of the program has no remark.
const PLACES: [&str; 6] =
    ["tests", "models", "benchsuite", "fuzz/", "crates/python", "crates/node"];

/// The place of a dependency that is part of the program.
const SHIPPED: &str = "the program";

#[test]
fn every_dependency_has_its_reason() {
    let files = files();
    let manifests: Vec<_> = files.iter().filter(|file| file.name.ends_with("Cargo.toml")).collect();
    let mut used: BTreeMap<String, Places> = BTreeMap::new();
    for manifest in &manifests {
        for (name, place) in dependencies(&manifest.name, &manifest.text) {
            used.entry(name).or_default().insert(place);
        }
    }
    for places in used.values_mut().filter(|places| places.contains(SHIPPED)) {
        *places = Places::from([SHIPPED]);
    }
    let contributing = files.iter().find(|file| file.name == "CONTRIBUTING.md");
    let table = reasons(&contributing.expect("CONTRIBUTING.md is there").text);
    assert!(used.len() > 30 && table.len() > 30, "dependencies were not found");
    let missing = used.iter().filter(|(name, _)| !table.contains_key(*name));
    let missing = missing.map(|(name, _)| format!("{name}: no reason in CONTRIBUTING.md"));
    let stale = table.keys().filter(|name| !used.contains_key(*name));
    let stale =
        stale.map(|name| format!("{name}: in CONTRIBUTING.md, and no manifest depends on it"));
    let elsewhere = used.iter().filter_map(|(name, places)| {
        let stated = table.get(name).filter(|stated| *stated != places)?;
        Some(format!("{name}: used in {places:?}, CONTRIBUTING.md says {stated:?}"))
    });
    check(missing.chain(stale).chain(elsewhere));
}

#[test]
fn every_shared_version_is_used() {
    let files = files();
    let manifests = || files.iter().filter(|file| file.name.ends_with("/Cargo.toml"));
    let used: BTreeSet<String> =
        manifests().flat_map(|file| entries(&file.text)).map(|(_, name)| name).collect();
    let shared = files.iter().find(|file| file.name == "Cargo.toml").expect("the workspace");
    let unused = entries(&shared.text)
        .filter(|(table, name)| table == "workspace.dependencies" && !used.contains(name));
    check(unused.map(|(_, name)| format!("Cargo.toml: no crate uses {name}")));
}

/// The crates that a user of the library `heist` compiles, itself included.
const MOST_CRATES_OF_THE_LIBRARY: usize = 33;

#[test]
fn the_library_compiles_no_queue_but_its_own() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges=normal", "--prefix=none", "-p=heist"])
        .current_dir(top())
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout);
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("heist-queue"), "{tree}");
    let others = ["crossbeam-channel", "heist-ebr", "st3"].into_iter();
    check(others.filter(|name| crates.contains(name)).map(|name| format!("heist compiles {name}")));
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(crates.len() <= MOST_CRATES_OF_THE_LIBRARY, "{} crates: {tree}", crates.len());
    }
}

#[test]
fn reasons_are_read_as_they_are_written() {
    let text = "# Dependencies\n\n## Dependencies\n\nEach.\n\n| crate | what for |\n|---|---|\n\
                | `a`, `b` | `c` \\| (d) |\n| `e` (models only), `f`, `g` (tests, benchsuite) | h |\n\
                | `i` (`fuzz/` only, feature `j`) | k |\n\n## Else\n\n| `l` | m |\n";
    let expected = [
        ("a", Places::from([SHIPPED])),
        ("b", Places::from([SHIPPED])),
        ("e", Places::from(["models"])),
        ("f", Places::from(["benchsuite", "tests"])),
        ("g", Places::from(["benchsuite", "tests"])),
        ("i", Places::from(["fuzz/"])),
    ];
    let expected = expected.map(|(name, places)| (name.to_string(), places));
    assert_eq!(reasons(text), BTreeMap::from(expected));
}

#[test]
fn dependencies_are_read_as_they_are_written() {
    let text = "[package]\nname = \"n\"\n[dependencies]\n# a = 1\nb.workspace = true\nc = \"1\"\n\
                heist-queue.workspace = true\n[target.\"cfg(loom)\".dependencies]\nd = { path = \"x\" }\n\
                [dependencies.e]\nversion = \"1\"\n[dev-dependencies]\nf-g = \"1\"\n\
                [build-dependencies]\nh = \"1\"\n[features]\ni = []\n";
    let found: Vec<_> = dependencies("crates/n/Cargo.toml", text).collect();
    let expected =
        [("b", SHIPPED), ("c", SHIPPED), ("d", "models"), ("e", SHIPPED), ("f-g", "tests")];
    let expected = expected.iter().chain(&[("h", SHIPPED)]);
    let expected: Vec<_> = expected.map(|(name, place)| (name.to_string(), *place)).collect();
    assert_eq!(found, expected);
    let found: Vec<_> = dependencies("fuzz/Cargo.toml", text).map(|(_, place)| place).collect();
    assert_eq!(found, ["fuzz/"; 6]);
    assert_eq!(dependencies("Cargo.toml", "[workspace.dependencies]\na = \"1\"\n").count(), 0);
}

/// The foreign crates that the manifest called `name` depends on, each with where it is used.
fn dependencies<'a>(
    name: &'a str,
    manifest: &'a str,
) -> impl Iterator<Item = (String, &'static str)> + 'a {
    let is_foreign = |dependency: &str| {
        let own = ["heist-", "skipped-tests"].iter().any(|own| dependency.starts_with(own));
        !own && dependency != "heist"
    };
    entries(manifest).filter_map(move |(table, dependency)| {
        let place = match (name.split('/').next(), table.as_str()) {
            // Versions that the members inherit.
            (_, "workspace.dependencies") => return None,
            (Some("benchsuite"), _) => "benchsuite",
            (Some("fuzz"), _) => "fuzz/",
            _ if name.starts_with("crates/python/") => "crates/python",
            _ if name.starts_with("crates/node/") => "crates/node",
            (_, "dev-dependencies") => "tests",
            (_, table) if table.contains("cfg(loom)") => "models",
            _ => SHIPPED,
        };
        is_foreign(&dependency).then_some((dependency, place))
    })
}

/// Every crate that stands in a table of dependencies of a manifest, with the table's name.
fn entries(manifest: &str) -> impl Iterator<Item = (String, String)> {
    let mut table = String::new();
    manifest.lines().map(str::trim).filter_map(move |line| {
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']').to_string();
            // The long form, a table for one dependency.
            let (kind, name) = table.rsplit_once('.')?;
            return kind.ends_with("dependencies").then(|| (kind.to_string(), name.to_string()));
        }
        let name = line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty())?;
        let is_entry = table.ends_with("dependencies") && !line.starts_with('#');
        is_entry.then(|| (table.clone(), name.to_string()))
    })
}

/// The crates in the table under the heading `Dependencies`, each with the places of its remark.
fn reasons(contributing: &str) -> BTreeMap<String, Places> {
    let section = contributing.split("\n## Dependencies\n").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| Some(format!("`{}", row.split(" | ").next()?)));
    cells.flat_map(|cell| crates_of(&cell)).collect()
}

/// The crates of a cell. A remark in parentheses belongs to every crate between it and the previous
/// remark: in `` `a`, `b` (tests), `c` `` it belongs to `a` and `b`.
fn crates_of(cell: &str) -> Vec<(String, Places)> {
    let groups =
        cell.split_inclusive(')').map(|group| group.split_once('(').unwrap_or((group, "")));
    let named = groups.flat_map(|(names, remark)| {
        let words = remark.split([' ', ',', '`', ')']);
        let stated: Places =
            PLACES.into_iter().filter(|p| words.clone().any(|w| w == *p)).collect();
        let places = if stated.is_empty() { Places::from([SHIPPED]) } else { stated };
        names.split('`').skip(1).step_by(2).map(move |name| (name.to_string(), places.clone()))
    });
    named.collect()
}
