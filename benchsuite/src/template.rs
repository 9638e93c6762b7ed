//! Templates: what is written around the figures of a record.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Value};

use crate::format::{Unit, count, escape};
use crate::markdown::{aligned, line, number, one_line, plain};

/// Fills a template.
pub(crate) fn fill(name: &str, template: &str, filling: Value) -> String {
    let text = environment().render_named_str(name, template, filling);
    // What it is filled with is ours, whatever the record holds.
    text.unwrap_or_else(|why| panic!("{why:#}"))
}

/// What all templates have in common. Text is escaped wherever a template does not declare it safe:
/// in Markdown, it stays in its line and cell. What is missing is empty.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the usual delimiters"));
    environment.set_auto_escape_callback(|name| match name.ends_with(".md.jinja") {
        true => AutoEscape::Custom("Markdown".into()),
        false => AutoEscape::Html,
    });
    environment.set_formatter(|out, state, value| {
        let text = if value.is_none() { String::new() } else { value.to_string() };
        let text = match state.auto_escape() {
            _ if value.is_safe() => text,
            AutoEscape::Html => escape(&text),
            _ => one_line(&text),
        };
        Ok(out.write_str(&text)?)
    });
    environment.add_filter("table", |rows: &str| Value::from_safe_string(aligned(rows, true)));
    environment
        .add_filter("filled_table", |rows: &str| Value::from_safe_string(aligned(rows, false)));
    environment.add_filter("line", |text: &str| Value::from_safe_string(line(text)));
    environment.add_filter("number", number);
    environment.add_filter("ms", |seconds: Option<f64>, decimals: usize| {
        number(seconds.map(|seconds| seconds * 1e3), decimals)
    });
    environment.add_filter("plain", |value: f64, decimals: usize| plain(Some(value), decimals));
    environment.add_filter("change", |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0));
    environment.add_filter("count", |n: Option<f64>| n.map(count));
    environment.add_filter("memory", |bytes: Option<f64>| bytes.map(|n| Unit::Memory.show(n)));
    environment.add_filter("time", |seconds: Option<f64>, around: Option<f64>| {
        let around = around.map(|around| Unit::Time.around(seconds.unwrap_or_default(), around));
        around.or(seconds.map(|seconds| Unit::Time.show(seconds)))
    });
    environment.add_filter("hex", |number: u64| format!("{number:016x}"));
    environment
}
