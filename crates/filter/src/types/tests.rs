//! The type table against that of the crate `ignore`, and selections from it.

use std::collections::BTreeSet;

use ignore::types::TypesBuilder;

use super::*;
use crate::{Filter, FilterConfig, WorkerCache};

/// Whether a file is wanted with the selection of `table`.
fn is_wanted(table: &TypeTable, name: &str) -> bool {
    let config =
        FilterConfig { types: table.selection().unwrap(), hidden: true, ..FilterConfig::default() };
    let filter = Filter::new(config).unwrap();
    let mut cache = WorkerCache::default();
    let scope = filter.root("/".as_ref(), &mut cache);
    filter.directory(&scope, b"", &mut cache).is_wanted(name.as_bytes(), false)
}

/// What `rg --type-list` of ripgrep 15.2.0 prints.
const RIPGREP: &str = include_str!("ripgrep-15.2.0.txt");

/// How the table differs from that of ripgrep 15.2.0.
const SINCE_RIPGREP: &str = include_str!("since-ripgrep-15.2.0.txt");

/// The lines of a table that another one lacks, behind a sign.
fn lines_beyond(sign: char, table: &str, other: &str) -> Vec<String> {
    let other: BTreeSet<&str> = other.lines().collect();
    let beyond = table.lines().filter(|line| !other.contains(line));
    beyond.map(|line| format!("{sign} {line}")).collect()
}

#[test]
fn the_default_table_is_that_of_ripgrep_15_2_0_with_the_listed_differences() {
    let line = |one: TypeDefinition| format!("{}: {}\n", one.name, one.globs.join(", "));
    let ours: String = TypeTable::new().definitions().into_iter().map(line).collect();
    let mut differences =
        [lines_beyond('-', RIPGREP, &ours), lines_beyond('+', &ours, RIPGREP)].concat();
    // By name, with ripgrep's line first.
    let name = |line: &str| line[2..].split(':').next().map(str::to_owned);
    differences.sort_by_key(|line| (name(line), line.starts_with('+')));
    let listed: Vec<&str> = SINCE_RIPGREP.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        differences, listed,
        "the table of the crate `ignore` has changed: state in since-ripgrep-15.2.0.txt what \
         differs from ripgrep 15.2.0, or list the types of a newer ripgrep; then mend the \
         differences in docs/differences.md"
    );
}

#[test]
fn the_default_table_has_what_the_specification_lists() {
    let definitions = TypeTable::new().definitions();
    assert!(definitions.is_sorted_by_key(|definition| definition.name.clone()));
    let globs = |name: &str| {
        let found = definitions.iter().find(|definition| definition.name == name);
        found.map(|definition| definition.globs.join(",")).unwrap_or_default()
    };
    assert_eq!(globs("ada"), "*.adb,*.ads");
    assert_eq!(globs("c"), "*.[chH],*.[chH].in,*.cats");
    assert_eq!(globs("rust"), "*.rs");
    assert_eq!(globs("json"), "*.json,*.sarif,composer.lock");
    assert_eq!(globs("zstd"), "*.zst,*.zstd");
    assert_eq!(globs("py"), globs("python"));
    assert_eq!(globs("man"), "*.[0-9][cEFMmpSx],*.[0-9lnpx]");
}

#[test]
fn every_default_type_decides_as_the_crate_it_comes_from() {
    let names = "a.rs a.c a.h.in Makefile makefile.am GNUmakefile a.min.js a.1 ls.1p LICENSE LICENSE-MIT \
        MIT-2.0 copying COPYING.LIB README READMEs x.README docker-compose.dev.yml docker-compose.yml \
        Dockerfile my.Dockerfile.x a.tf.json .terraform.lock.hcl a.json .json json a.md Kconfig.debug \
        a.gradle.kts gradle-wrapper.jar .bashrc a.bashrc a.svelte.ts a. Cargo.lock a.xml.dist \
        a.automount a.ditamap";
    for definition in TypeTable::new().definitions() {
        let mut table = TypeTable::new();
        table.select(&definition.name);
        let mut builder = TypesBuilder::new();
        builder.add_defaults().select(&definition.name);
        let judge = builder.build().unwrap();
        for name in names.split_whitespace() {
            let expected = judge.matched(name, false).is_whitelist();
            assert_eq!(is_wanted(&table, name), expected, "{} {name}", definition.name);
        }
    }
}
