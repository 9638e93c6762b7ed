//! Templates: what is written around the figures of a record.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment};

use crate::format::{Unit, count, escape};

/// What all templates have in common. Text is escaped wherever a template does not declare it safe.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the usual delimiters"));
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| {
        let text = value.to_string();
        let is_raw = value.is_safe() || *state.auto_escape() != AutoEscape::Html;
        Ok(out.write_str(&if is_raw { text } else { escape(&text) })?)
    });
    environment.add_filter("count", count);
    environment.add_filter("memory", |bytes: f64| Unit::Memory.show(bytes));
    environment.add_filter("hex", |number: u64| format!("{number:016x}"));
    environment
}
