//! The page: its parts in the order they are read.

use std::fmt::Write as _;

use super::charts::{Charts, Slots, have_one_beginning, lines, missing, overview};
use super::format::{Unit, count, escape};
use super::plot::{Frame, LineChart, declarations, sample};
use super::{caveats, headline, table};
use crate::record::{Comparison, Kind, Record};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page; a record without comparisons is an error.
pub(crate) fn html(record: &Record) -> Result<String, String> {
    if record.comparisons.is_empty() {
        return Err("the record holds no comparison, so there is nothing to report".to_owned());
    }
    let slots = Slots::of(record);
    let mut html = head(record);
    html.push_str("<main>\n");
    write_findings(&mut html, record);
    write_machine(&mut html, record);
    write_contents(&mut html, record);
    for (number, comparison) in record.comparisons.iter().enumerate() {
        write_comparison(&mut html, record, number, comparison, &slots);
    }
    html.push_str("</main>\n");
    write_foot(&mut html, record);
    let _ = write!(html, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(html)
}

fn title(record: &Record) -> &'static str {
    match record.kind {
        Kind::Walk => "Walking trees: hs measured",
        Kind::Search => "Searching trees: hs measured",
        Kind::Queues | Kind::Hunt => "hs measured",
    }
}

fn head(record: &Record) -> String {
    let title = title(record);
    let (light, dark) = (declarations(false), declarations(true));
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n");
    html.push_str("<meta charset=\"utf-8\">\n");
    html.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // Nothing is loaded, and nothing can be, whatever a record may hold.
    html.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n",
    );
    let _ = write!(
        html,
        "<title>{title}, {}</title>\n<style>\n:root{{color-scheme:light dark;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{STYLE}</style>\n</head>\n\
         <body>\n<header>\n<h1>{title}</h1>\n<p class=\"sub\">{} UTC · {} · {} \
         cores</p>\n</header>\n",
        escape(&record.date),
        escape(&record.date),
        escape(record.machine.cpu.as_deref().unwrap_or("unknown processor")),
        record.machine.cores,
    );
    html
}

fn write_list(html: &mut String, class: &str, items: &[String]) {
    let _ = writeln!(html, "<ul class=\"{class}\">");
    for item in items {
        let _ = writeln!(html, "<li>{}</li>", escape(item));
    }
    html.push_str("</ul>\n");
}

fn write_findings(html: &mut String, record: &Record) {
    html.push_str("<section id=\"findings\">\n<h2>Findings</h2>\n");
    write_list(html, "findings", &headline::of_record(record));
    let chart = overview(record);
    if !chart.is_empty() {
        let caption = "Medians as multiples of the floor, the least work possible; left is better. \
                       With an asterisk: the least floor of the corpus, as the task has none.";
        html.push_str("<div class=\"figures\">\n");
        write_figure(html, &chart.title, caption, &chart.draw(&Frame::PAGE));
        html.push_str("</div>\n");
    }
    html.push_str("</section>\n");
}

fn write_machine(html: &mut String, record: &Record) {
    let (machine, method) = (&record.machine, &record.method);
    let unknown = || "unknown".to_owned();
    html.push_str("<section id=\"method\">\n<h2>Machine and method</h2>\n");
    let caveats = caveats::of(record);
    if !caveats.is_empty() {
        html.push_str(
            "<div class=\"warning\" role=\"note\">\n<h3>Before you trust a figure</h3>\n",
        );
        write_list(html, "caveats", &caveats);
        html.push_str("</div>\n");
    }
    let memory = machine.memory_kib.map(|kib| Unit::Memory.show(kib as f64 * 1024.0));
    let runs = format!(
        "{} timed runs per command, and {} for memory and switches",
        method.repeats, method.cost_runs
    );
    let facts = [
        ("System", machine.system.clone()),
        ("Kernel", machine.kernel.clone().unwrap_or_else(unknown)),
        ("Processor", machine.cpu.clone().unwrap_or_else(unknown)),
        ("Cores", machine.cores.to_string()),
        ("Memory", memory.unwrap_or_else(unknown)),
        ("Governor", machine.governor.clone().unwrap_or_else(unknown)),
        ("Load before", machine.load.clone().unwrap_or_else(unknown)),
        ("Runs", runs),
        ("Timer", method.timer.clone()),
        ("Order", format!("drawn anew each round, seed {}", method.seed)),
    ];
    html.push_str("<dl>\n");
    for (name, fact) in facts {
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&fact));
    }
    html.push_str("</dl>\n<div class=\"pair\">\n");
    write_tools(html, record);
    write_corpora(html, record);
    html.push_str("</div>\n</section>\n");
}

fn write_tools(html: &mut String, record: &Record) {
    if record.tools.is_empty() {
        return;
    }
    html.push_str("<div class=\"scroll\" tabindex=\"0\"><table class=\"plain\">\n");
    html.push_str(
        "<thead><tr><th scope=\"col\">Program</th><th scope=\"col\" \
        class=\"words\">Version</th></tr></thead>\n",
    );
    for tool in &record.tools {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td></tr>",
            escape(&tool.name),
            escape(&tool.version)
        );
    }
    html.push_str("</table></div>\n");
}

fn write_corpora(html: &mut String, record: &Record) {
    if record.corpora.is_empty() {
        return;
    }
    html.push_str("<div class=\"scroll\" tabindex=\"0\"><table class=\"plain\">\n<thead><tr>");
    let heads =
        ["Corpus", "Files", "Directories", "Links", "Size", "Depth", "Widest", "File system"];
    for head in heads {
        let _ = write!(html, "<th scope=\"col\">{head}</th>");
    }
    html.push_str("</tr></thead>\n");
    for corpus in &record.corpora {
        let shape = &corpus.shape;
        let digest = format!("digest {:016x}", shape.digest);
        let _ =
            write!(html, "<tr><th scope=\"row\" title=\"{digest}\">{}</th>", escape(&corpus.name));
        let figures = [shape.files, shape.directories, shape.symlinks];
        let figures = figures.map(|figure| count(figure as f64)).to_vec();
        let size = Unit::Memory.show(shape.bytes as f64);
        let rest = [size, count(shape.depth as f64), count(shape.widest as f64)];
        let system = corpus.file_system.clone().unwrap_or_else(|| "unknown".to_owned());
        for cell in figures.into_iter().chain(rest).chain([system]) {
            let _ = write!(html, "<td>{}</td>", escape(&cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table></div>\n");
}

fn write_contents(html: &mut String, record: &Record) {
    html.push_str("<nav aria-label=\"Comparisons\"><ul>\n");
    for (number, comparison) in record.comparisons.iter().enumerate() {
        let _ =
            writeln!(html, "<li><a href=\"#c{number}\">{}</a></li>", escape(&comparison.name()));
    }
    html.push_str("</ul></nav>\n");
}

fn write_comparison(
    html: &mut String,
    record: &Record,
    number: usize,
    comparison: &Comparison,
    slots: &Slots,
) {
    let _ = writeln!(
        html,
        "<section class=\"comparison\" id=\"c{number}\">\n<h2>{}</h2>\n<p class=\"sub\">{}</p>",
        escape(&comparison.name()),
        escape(&comparison.about)
    );
    write_list(html, "findings", &headline::of_comparison(comparison));
    let charts = Charts::of(comparison, record.machine.cores, slots);
    html.push_str("<div class=\"figures\">\n");
    for chart in &charts.bars {
        write_figure(html, &chart.title, bars_caption(chart.unit), &chart.draw(&Frame::PAGE));
    }
    html.push_str("</div>\n");
    if !charts.lines.is_empty() {
        write_legend(html, comparison, slots);
        html.push_str("<div class=\"figures\">\n");
        for chart in &charts.lines {
            let title = format!("{} by threads", chart.title);
            write_figure(html, &title, lines_caption(chart), &chart.draw(&Frame::PAGE));
        }
        html.push_str("</div>\n");
        write_left_out(html, comparison, slots);
    }
    html.push_str(&table::table(comparison, record.machine.cores));
    html.push_str("</section>\n");
}

fn write_figure(html: &mut String, title: &str, caption: &str, drawing: &str) {
    let _ = writeln!(
        html,
        "<figure>\n<figcaption><b>{}</b> {caption}</figcaption>\n{drawing}</figure>",
        escape(title)
    );
}

fn bars_caption(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "Medians, shorter is better; whiskers: median distance from the median.",
        _ => "Medians, less is better.",
    }
}

fn lines_caption(chart: &LineChart) -> &'static str {
    match chart.unit {
        Unit::Time => "Medians, lower is better; bands: median distance from the median.",
        Unit::Ratio => "Time of one thread through time; higher is better.",
        Unit::Memory => "The most memory it had, medians.",
        Unit::Count => "Voluntary and involuntary, medians.",
    }
}

/// The legend of the lines, of which the script makes switches.
fn write_legend(html: &mut String, comparison: &Comparison, slots: &Slots) {
    html.push_str("<ul class=\"legend\" aria-label=\"Legend\">\n");
    for line in lines(comparison, slots).iter().filter(|line| !line.rows.is_empty()) {
        let slot = line.slot.map_or_else(|| "hs".to_owned(), |slot| slot.to_string());
        let name = if line.slot.is_none() { "hs as it is" } else { &line.name };
        let _ = writeln!(
            html,
            "<li data-series=\"{slot}\">{}<span>{}</span></li>",
            sample(line.slot),
            escape(name)
        );
    }
    html.push_str("</ul>\n");
}

/// Notes about what the charts over threads do not show.
fn write_left_out(html: &mut String, comparison: &Comparison, slots: &Slots) {
    if have_one_beginning(comparison) {
        html.push_str(
            "<p class=\"note\">One worker uses no queue: every line begins at the same -j1.</p>\n",
        );
    }
    let missing = missing(comparison);
    if !missing.is_empty() {
        let _ =
            writeln!(html, "<p class=\"note bad\">Not drawn: {}.</p>", escape(&missing.join(", ")));
    }
    if !slots.left_out().is_empty() {
        let _ = writeln!(
            html,
            "<p class=\"note\">Only in the table, as no more lines can be told apart: {}.</p>",
            escape(&slots.left_out().join(", "))
        );
    }
}

fn write_foot(html: &mut String, record: &Record) {
    let _ = writeln!(
        html,
        "<footer><p>Made by benchsuite from a record of {} UTC, version {} of the format. A \
         median has half of \
         the runs below it; the median distance from it tells how far runs vary and hardly minds \
         outliers. \
         Two times that are no further apart than both distances together are called \
         level.</p></footer>",
        escape(&record.date),
        record.version
    );
}
