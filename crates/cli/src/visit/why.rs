//! `--why`: for each path, whether it is searched, and if not, which rule or flag leaves it out.

use std::{
    collections::HashMap,
    fs,
    io::{self, Read, Seek},
    path::{Component, Path, PathBuf},
    str,
};

use bstr::ByteSlice as _;
use heist_filter::{Filter, is_of_version_control, path_bytes::bytes_of};
use heist_matcher::{Matcher, MatcherConfig};
use heist_printer::{append_json_data, escape_json, visible_line};
use heist_searcher::{
    BinaryPolicy, Encoding, Finish, Flow, Line, SearchConfig, Searcher, Sink, Wants,
    unmarked_encoding,
};
use heist_walk::{Fate, FileId, FileType, Root, why};

use crate::{
    contents::{Contents, format_of},
    resolved::ResolvedArgs,
    sys,
    texts::messages::Messages,
};

/// The most bytes of a file that are checked for their encoding.
const MAX_CHECKED: u64 = 1 << 20;

/// Returns a line for each path, or a message in JSON, and whether one of them is left out.
/// `matcher` is for the patterns, or for any line if there are none.
pub(crate) fn explain(
    args: &ResolvedArgs,
    filter: &Filter,
    matcher: &Matcher,
    messages: &Messages,
) -> (Vec<u8>, bool) {
    let (mut text, mut any_left_out) = (Vec::new(), false);
    let mut searched = HashMap::new();
    for path in &args.why {
        if let Some(mut explained) = explain_one(args, filter, matcher, messages, path) {
            any_left_out |= !explained.is_searched;
            if args.walk.unique && explained.is_searched {
                explained.note_repetition(path, &mut searched);
            }
            explained.append(args, path, &mut text);
        }
    }
    (text, any_left_out)
}

/// Whether a path is searched, and why.
struct Explained {
    is_searched: bool,
    reason: String,
}

impl Explained {
    /// Adds a remark if another path before `path` leads to the same file, which is searched once.
    /// Which of the paths the walk meets first is not known here.
    fn note_repetition<'a>(&mut self, path: &'a Path, searched: &mut HashMap<FileId, &'a Path>) {
        // Opening a pipe would wait for a writer.
        let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let id = || FileId::of_file(&sys::open_at_once(path).ok()?).ok();
        if let Some(id) = is_file.then(id).flatten() {
            let first = *searched.entry(id).or_insert(path);
            if first != path {
                let first = first.display();
                self.reason +=
                    &format!("; the same file as {first}, so under one path only (see --unique)");
            }
        }
    }

    fn append(&self, args: &ResolvedArgs, path: &Path, text: &mut Vec<u8>) {
        let (path, reason) = (bytes_of(path), self.reason.as_bytes());
        if args.prints_messages() {
            let start = text.len();
            text.extend_from_slice(br#"{"type":"why","data":{"path":"#);
            append_json_data(text, &path);
            text.extend_from_slice(br#","searched":"#);
            text.extend_from_slice(if self.is_searched { b"true" } else { b"false" });
            text.extend_from_slice(br#","reason":"#);
            append_json_data(text, reason);
            text.extend_from_slice(b"}}");
            if args.printer.visible {
                escape_json(text, start);
            }
        } else {
            let line = [&path, &b": "[..], reason].concat();
            match args.printer.visible {
                true => text.extend_from_slice(&visible_line(&String::from_utf8_lossy(&line))),
                false => text.extend_from_slice(&line),
            }
        }
        text.push(b'\n');
    }
}

/// Explains a path. `None` if an error has been reported instead.
fn explain_one(
    args: &ResolvedArgs,
    filter: &Filter,
    matcher: &Matcher,
    messages: &Messages,
    path: &Path,
) -> Option<Explained> {
    let fail = |error| messages.path_error(path.as_os_str().as_encoded_bytes(), &error);
    if path.as_os_str().is_empty() {
        // An empty path names nothing, and not the current directory.
        fs::metadata(path).map_err(fail).ok()?;
    }
    let (root, below) = split(path, &args.filter.cwd);
    let (fate, problems) = why(&args.walk, filter, &root, &below);
    problems.iter().for_each(|problem| messages.ignore_problem(problem));
    let failed = |error: heist_walk::Error| match error.path() == joined(&root, &below) {
        true => messages.walk_error(&error),
        false => fail(io::Error::other(format!("not searched: {error}"))),
    };
    let reason = match fate.map_err(failed).ok()? {
        Fate::LeftOut { path: at, why } => {
            let reason = reason(&at, &below, &root, &why);
            return Some(Explained { is_searched: false, reason });
        }
        Fate::Visited(FileType::Dir) => "a directory that is searched".to_owned(),
        Fate::Visited(_) => examine(args, matcher, path).map_err(fail).ok()?,
    };
    Some(Explained { is_searched: true, reason })
}

/// The reason for which the file or directory `at` is left out, with its path unless that is the
/// one that was named, and with a flag that would change it.
pub(super) fn reason(at: &Path, below: &Path, root: &Root, why: &str) -> String {
    let advice = match why {
        "ignored: hidden" => match at.file_name().map(|name| name.as_encoded_bytes()) {
            Some(name) if is_of_version_control(name) => " (see --hidden)",
            _ => " (see --hidden, --dotfiles)",
        },
        "ignored: too deep" => " (see --max-depth)",
        "ignored: on another file system" => " (see --one-file-system)",
        "ignored: symbolic link" => " (see --follow)",
        "ignored: another worktree of this repository" => " (see --worktrees)",
        "ignored: a submodule" => " (see --submodules)",
        _ => "",
    };
    let at = if at == joined(root, below) { String::new() } else { format!("{}: ", at.display()) };
    format!("{at}{why}{advice}")
}

/// The path below a root, as a walk of the root has it.
fn joined(root: &Root, below: &Path) -> PathBuf {
    match root {
        Root::Path(root) => root.join(below),
        Root::Here | Root::Stdin => below.to_path_buf(),
    }
}

/// Splits a path into a root to search and the rest below it. The root is the current directory,
/// what leads out of it, or the file system's root.
fn split(path: &Path, cwd: &Path) -> (Root, PathBuf) {
    let path = path.strip_prefix(cwd).unwrap_or(path);
    let (mut root, mut below) = (PathBuf::new(), PathBuf::new());
    for part in path.components() {
        match part {
            Component::Normal(name) => below.push(name),
            Component::CurDir => {}
            // As if no directory were a link.
            Component::ParentDir if below.pop() => {}
            part => root.push(part),
        }
    }
    let root = if root.as_os_str().is_empty() { Root::Here } else { Root::Path(root) };
    (root, below)
}

/// What a search of one file meets.
#[derive(Debug, Default)]
struct Met {
    lines: u64,
    /// The offset of the first NUL byte.
    nul: Option<u64>,
    /// The encoding that the file's first bytes have shown.
    encoding: Option<&'static str>,
}

impl Sink for Met {
    fn wants(&self) -> Wants {
        Wants { unmatched: true, lines: false, ..Wants::default() }
    }

    fn matched(&mut self, _: &Line<'_>) -> Flow {
        self.counted(1)
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.lines += lines;
        Flow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul.get_or_insert(offset);
        Flow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.encoding = finish.encoding;
    }
}

/// Searches a file as the walk would, and describes what was found, or why nothing was.
fn examine(args: &ResolvedArgs, matcher: &Matcher, path: &Path) -> io::Result<String> {
    let mut file = sys::open_at_once(path)?;
    match args.contents {
        Contents::Plain => {}
        Contents::Preprocessed(_) => return Ok("searched, by what --pre makes of it".to_owned()),
        Contents::Decompressed => {
            if let Some(format) = format_of(path)? {
                return Ok(format!("searched, decompressed as {format}"));
            }
        }
    }
    let mut searcher = Searcher::new(args.searcher.clone());
    searcher.set_binary(args.binary.walked);
    let mut met = Met::default();
    searcher.search_file(&mut matcher.finder(), &file, &mut met)?;
    let mut text = "searched".to_owned();
    if let Some(encoding) = met.encoding {
        text += &format!(" as {encoding}");
    }
    match met.lines {
        _ if args.patterns.is_empty() => {}
        0 => text += ", no line matches",
        1 => text += ", 1 line matches",
        lines => text += &format!(", {lines} lines match"),
    }
    if met.lines > 0 && met.nul.is_none() {
        return Ok(text);
    }
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_CHECKED).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        text += ": it is empty";
    } else if let Some(offset) = met.nul {
        text += &binary(offset, args.binary.walked);
        let is_undecoded = args.searcher.encoding == Encoding::Marked;
        if let Some(encoding) = unmarked_encoding(&bytes).filter(|_| is_undecoded) {
            text += &format!("; it is {encoding} without a mark, see --no-binary");
        }
    } else if matches_before_crlf(args, &bytes, path)? {
        text += ": its lines end in \\r\\n, see --crlf";
    } else if met.encoding.is_none()
        && let Some(offset) = not_utf8(&bytes)
    {
        text += &format!(": not UTF-8 at offset {offset}, see --encoding");
    }
    Ok(text)
}

/// Whether a file begins with `bytes` that have a line ending in `\r\n`, and a line would match if
/// that were a line terminator.
fn matches_before_crlf(args: &ResolvedArgs, bytes: &[u8], path: &Path) -> io::Result<bool> {
    let is_possible = !args.searcher.crlf && args.searcher.line_terminator == b'\n';
    if !is_possible || args.patterns.is_empty() || !bytes.contains_str("\r\n") {
        return Ok(false);
    }
    let config = MatcherConfig { crlf: true, ..args.matcher.clone() };
    // The patterns are valid without it, and need not be with it.
    let Ok(matcher) = args.compile(&config) else { return Ok(false) };
    let mut searcher = Searcher::new(SearchConfig { crlf: true, ..args.searcher.clone() });
    searcher.set_binary(args.binary.walked);
    let mut met = Met::default();
    searcher.search_file(&mut matcher.finder(), &fs::File::open(path)?, &mut met)?;
    Ok(met.lines > 0)
}

/// The effect of a NUL byte.
fn binary(offset: u64, policy: BinaryPolicy) -> String {
    let effect = match policy {
        BinaryPolicy::Quit => "the search ends there, see --text",
        BinaryPolicy::Convert | BinaryPolicy::Text => "it is binary, see --text",
    };
    format!(": NUL byte at offset {offset}, {effect}")
}

/// Where the first bytes of a file are not UTF-8, unless a byte order mark has another encoding.
fn not_utf8(bytes: &[u8]) -> Option<usize> {
    let has_mark = [&b"\xff\xfe"[..], b"\xfe\xff"].iter().any(|mark| bytes.starts_with(mark));
    let error = str::from_utf8(bytes).err()?;
    // The end may be in the middle of a character.
    (error.error_len().is_some() && !has_mark).then(|| error.valid_up_to())
}
