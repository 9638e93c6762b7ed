//! The picture of a terminal in README.md: commands in the repository of GUIDE.md, with the output
//! of the program under test, as SVG in light and in dark colors.
//!
//! The commands run as on a terminal, with `--pretty`, and with `--sort path`, so that the picture
//! is the same each time. `HS_TEST_WRITE_GUIDE=1` writes it anew.

use std::{env, fmt::Write as _, fs, path::Path};

use crate::{
    guide::{REPOSITORY, TOP, create_repository, is_left_out},
    harness::{Hs, TempTree},
};

const COMMANDS: [&str; 4] = [
    "hs TODO",
    "hs --show-function fits",
    r"hs -r 'close($1)' 'open\((\w+)\)'",
    "hs --why -e door build.log .github/ci.yml",
];

/// Makes `hs` print into a pipe what it prints on a terminal.
const LIKE_A_TERMINAL: &str = "hs() { command hs --pretty --sort path \"$@\"; }";

const LINE_HEIGHT: usize = 21;
const PADDING: usize = 18;
const WIDTH: usize = 700;

/// The name of a picture, and the CSS colors in it.
struct Theme {
    file: &'static str,
    background: &'static str,
    border: &'static str,
    text: &'static str,
    prompt: &'static str,
    path: &'static str,
    line_number: &'static str,
    found: &'static str,
}

const THEMES: [Theme; 2] = [
    Theme {
        file: "docs/pictures/terminal-light.svg",
        background: "#ffffff",
        border: "#d0d7de",
        text: "#1f2328",
        prompt: "#656d76",
        path: "#8250df",
        line_number: "#116329",
        found: "#cf222e",
    },
    Theme {
        file: "docs/pictures/terminal-dark.svg",
        background: "#0d1117",
        border: "#30363d",
        text: "#e6edf3",
        prompt: "#8b949e",
        path: "#d2a8ff",
        line_number: "#7ee787",
        found: "#ff7b72",
    },
];

#[test]
fn the_picture_shows_what_happens() {
    if is_left_out("the picture") {
        return;
    }
    let tree = TempTree::new("picture");
    create_repository(&tree);
    let lines = screen(&tree);
    for theme in &THEMES {
        let path = Path::new(TOP).join(theme.file);
        let actual = theme.draw(&lines);
        if env::var_os("HS_TEST_WRITE_GUIDE").is_some() {
            fs::write(path, actual).expect("the picture is writable");
        } else {
            let expected = fs::read_to_string(path).expect("the picture");
            assert_eq!(expected, actual, "{}: committed on the left, output right", theme.file);
        }
    }
}

/// The lines of the terminal: each command after a prompt, and its output with escape sequences.
fn screen(tree: &TempTree) -> Vec<String> {
    let mut lines = Vec::new();
    for command in COMMANDS {
        let line = format!("exec 2>&1\n{LIKE_A_TERMINAL}\n{command}");
        let printed = Hs::new(tree).line(&line).cwd(REPOSITORY).stdout();
        let printed = String::from_utf8(printed).expect("text");
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("\x1b[2m$ \x1b[0m{command}"));
        lines.extend(printed.lines().map(str::to_owned));
    }
    lines
}

impl Theme {
    fn draw(&self, lines: &[String]) -> String {
        let height = 2 * PADDING + lines.len() * LINE_HEIGHT;
        let Theme { background, border, text, prompt, path, line_number, found, .. } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\">\n\
             <title>hs in a terminal</title>\n\
             <style>\n\
             text {{ font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; \
             white-space: pre; fill: {text} }}\n\
             .prompt {{ fill: {prompt} }}\n\
             .path {{ fill: {path} }}\n\
             .line {{ fill: {line_number} }}\n\
             .found {{ fill: {found}; font-weight: bold }}\n\
             </style>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{background}\" \
             stroke=\"{border}\"/>\n",
            WIDTH - 1,
            height - 1,
        );
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            let y = PADDING + index * LINE_HEIGHT + 15;
            let spans = spans(line);
            writeln!(svg, "<text x=\"{PADDING}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>")
                .expect("a string");
        }
        svg + "</svg>\n"
    }
}

/// `line` with an element in place of each style: `\x1b[32m8\x1b[0m:` becomes
/// `<tspan class="line">8</tspan>:`.
fn spans(line: &str) -> String {
    let mut spans = String::new();
    let mut parts = line.split('\x1b');
    spans += &escape(parts.next().unwrap_or_default());
    let mut class = "";
    for part in parts {
        let (style, text) = part[1..].split_once('m').expect("a style");
        class = match style {
            "0" => "",
            "1" => class,
            "2" => "prompt",
            "31" => "found",
            "32" => "line",
            "35" => "path",
            other => panic!("no class for style {other}"),
        };
        match (text, class) {
            ("", _) => {}
            (text, "") => spans += &escape(text),
            (text, class) => {
                write!(spans, "<tspan class=\"{class}\">{}</tspan>", escape(text))
                    .expect("a string");
            }
        }
    }
    spans
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
