//! The page of `benchsuite report` in a real browser, and its pictures.
//!
//! `data/walk.json` is a small record. Its times of `hs` and the floor are of a real tree; those of
//! other programs are invented, so that it contains a row of each kind.
//!
//! Without Chromium the tests that need it are skipped, with a message; `HEIST_CHROMIUM` names one
//! that is not in PATH.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use serde_json::Value;
use skipped_tests::skip;
use tempfile::TempDir;
use wait_timeout::ChildExt;

/// Longer than a browser takes to start and to draw, on any machine.
const RUN_TIMEOUT: Duration = Duration::from_secs(120);

/// Collects what goes wrong, from before anything else is run.
const LISTEN: &str = include_str!("data/listen.html");

/// Writes what the page looks like into the title of the page around it: `--dump-dom` prints it.
const LOOK: &str = include_str!("data/look.html");

fn benchsuite(arguments: &[&Path]) -> Output {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/walk.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
    command.arg("report").arg(record).args(arguments).output().expect("the program can be run")
}

/// The page of the record, in a directory of its own.
fn page() -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let page = temp.path().join("report.html");
    let made = benchsuite(&[Path::new("--html"), &page]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (temp, page)
}

/// Chromium, if it is installed; if not, prints that the test is skipped.
fn chromium() -> Option<String> {
    let named = env::var("HEIST_CHROMIUM").ok();
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let starts = |name: &String| Command::new(name).arg("--version").output().is_ok();
    let found = named.or_else(|| known.map(str::to_owned).into_iter().find(starts));
    if found.is_none() {
        skip("chromium is not installed, and HEIST_CHROMIUM names none");
    }
    found
}

/// Runs it on a page until it ends, and returns its output.
fn browse(chromium: &str, page: &Path, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let stdout = profile.path().join("stdout");
    let mut command = Command::new(chromium);
    // It opens one file of ours: the sandbox, which root and many containers cannot have, guards
    // nothing here.
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
    command.args(["--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"]);
    command.arg(format!("--user-data-dir={}", profile.path().join("profile").display()));
    command.args(arguments).arg(format!("file://{}", page.display()));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(fs::File::create(&stdout).unwrap()).spawn().unwrap();
    let Some(status) = child.wait_timeout(RUN_TIMEOUT).unwrap() else {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("the browser hangs");
    };
    assert!(status.success(), "the browser ended with {status}");
    fs::read_to_string(&stdout).unwrap()
}

/// What the page looks like in a frame of a width: no window of a browser is as narrow as a phone.
fn look(chromium: &str, page: &Path, width: u32, is_dark: bool) -> Value {
    let text = fs::read_to_string(page).unwrap();
    let text = text.replacen("<head>", &format!("<head>{LISTEN}"), 1).replacen("</body>", LOOK, 1);
    let frame = page.with_file_name(format!("frame-{width}-{is_dark}.html"));
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    let style = format!("border:0;width:{width}px;height:900px");
    let around = "<!doctype html><html><head><meta name=\"color-scheme\" content=\"light dark\">\
                  <title></title>";
    let body = format!("<body><iframe style=\"{style}\" srcdoc=\"{text}\"></iframe>");
    fs::write(&frame, format!("{around}</head>{body}")).unwrap();
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark));
    let dom = browse(chromium, &frame, &["--dump-dom", "--window-size=1400,1000", &scheme]);
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("no title in {dom}"));
    let title = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error} in {title}"))
}

/// Whether a page is right in every respect that does not depend on colours.
fn check(seen: &Value, width: u64) {
    assert_eq!(seen["wrong"], serde_json::json!([]));
    assert_eq!(seen["width"], width, "the frame has another width");
    assert_eq!(seen["wide"], width, "the page scrolls sideways");
    let bars = seen["bars"].as_array().unwrap();
    assert_eq!(bars.len(), 2, "a picture of each comparison: {bars:?}");
    for bars in bars {
        assert!(bars["drawn"].as_u64() >= Some(15), "time, memory and switches: {bars}");
        assert_eq!(bars["outside"], serde_json::json!([]), "{bars}");
    }
    let panels = seen["panels"].as_array().unwrap();
    assert!(panels.len() >= 12, "{panels:?}");
    for panel in panels {
        assert!(panel["points"].as_u64() >= Some(2), "{panel}");
        assert!(panel["titles"].as_u64() >= panel["points"].as_u64(), "{panel}");
        assert_eq!(panel["outside"], serde_json::json!([]), "{panel}");
        let letters = panel["letters"].as_f64().unwrap();
        assert!((9.5..17.0).contains(&letters), "letters of {letters} px: {panel}");
    }
}

#[test]
fn the_page_is_whole_on_screens_wide_and_narrow_by_light_and_in_the_dark() {
    let Some(chromium) = chromium() else { return };
    let (_temp, page) = page();
    let mut colours = Vec::new();
    for (width, is_dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
        let seen = look(&chromium, &page, width, is_dark);
        check(&seen, u64::from(width));
        assert_eq!(seen["isDark"], is_dark, "the browser did not take the scheme");
        colours.push([&seen["ground"], &seen["text"], &seen["line"]].map(Value::to_string));
    }
    assert_eq!(colours[0], colours[2]);
    assert_eq!(colours[1], colours[3]);
    for (light, dark) in colours[0].iter().zip(&colours[1]) {
        assert_ne!(light, dark, "it looks the same by light and in the dark");
    }
}

#[test]
fn the_page_can_be_printed() {
    let Some(chromium) = chromium() else { return };
    let (temp, page) = page();
    let pdf = temp.path().join("report.pdf");
    let print = format!("--print-to-pdf={}", pdf.display());
    browse(&chromium, &page, &[&print, "--no-pdf-header-footer"]);
    let bytes = fs::read(&pdf).unwrap();
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000, "{} bytes", bytes.len());
}

#[test]
fn pages_pictures_and_tables_are_made_in_one_go() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    let (html, svg, markdown) = (at("report.html"), at("svg"), at("report.md"));
    let option = |name| Path::new(name);
    let made = benchsuite(&[option("--html"), &html, option("--markdown"), &markdown]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(fs::read_to_string(&html).unwrap().contains("<h2>linux, list-all, warm</h2>"));
    assert!(fs::read_to_string(&markdown).unwrap().contains("hs deque"));
    let made = benchsuite(&[option("--svg"), &svg]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for name in ["linux-list-all-warm-threads.svg", "linux-list-ignore-warm-threads.svg"] {
        let picture = fs::read_to_string(svg.join(name)).unwrap();
        assert!(picture.matches("<svg").count() > 2 && picture.contains("deque"), "{name}");
        assert!(!picture.contains("var("), "a picture has no style sheet that names colours");
    }
    assert_eq!(fs::read_dir(&svg).unwrap().count(), 2);
}
