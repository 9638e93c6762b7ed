//! Prints the lines of files that match, much as `rg --no-mmap --no-heading -nb` does: for comparing by hand and in scripts.
//!
//! `lines [-q|-b|-a] [-v] [-p] [-ELABEL] [-N] [-U] [-c] [-0] [-ANUM] [-BNUM] [-mNUM] PATTERN FILE…`; `-q` treats binary files
//! as found by walking (the default), `-b` as named on the command line, `-a` as text; `-p` shows all lines, `-E` names
//! an encoding, or `none`; `-N` counts no lines, with `-U` matches may span lines, `-c` is ripgrep's `--crlf`, and `-0`
//! its `--null-data`.

use std::{
    error::Error,
    fs::File,
    io::{self, BufWriter, Write},
};

use heist_matcher::{Finder, Matcher};
use heist_searcher::{
    BinaryPolicy, Encoding, End, Finish, Flow, Line, LineKind, SearchConfig, Searcher, Sink, Source,
};

/// Prints as ripgrep does, binary messages included.
struct Printer<W> {
    out: W,
    binary: BinaryPolicy,
    binary_offset: Option<u64>,
    has_match: bool,
    terminator: u8,
}

impl<W: Write> Printer<W> {
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mark = if line.kind == LineKind::Match { ':' } else { '-' };
        let mut offset = line.offset;
        let lines = line.bytes.split_inclusive(|byte| *byte == self.terminator);
        for (bytes, further) in lines.zip(0..) {
            if let Some(number) = line.number {
                write!(self.out, "{}{mark}", number + further)?;
            }
            write!(self.out, "{offset}{mark}")?;
            self.out.write_all(bytes)?;
            offset += bytes.len() as u64;
            if !bytes.ends_with(&[self.terminator]) {
                self.out.write_all(&[self.terminator])?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Sink for Printer<W> {
    fn begin(&mut self) -> Flow {
        (self.binary_offset, self.has_match) = (None, false);
        Flow::Continue(())
    }

    fn matched_with(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        self.has_match = true;
        if self.binary_offset.is_some() {
            return Flow::Break(());
        }
        self.line(line).map_or(Flow::Break(()), Flow::Continue)
    }

    fn context_with(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        // Ends the search as ripgrep does, though a match may follow that would deserve a message.
        if self.binary_offset.is_some() {
            return Flow::Break(());
        }
        self.line(line).map_or(Flow::Break(()), Flow::Continue)
    }

    fn gap(&mut self) -> Flow {
        writeln!(self.out, "--").map_or(Flow::Break(()), Flow::Continue)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.binary_offset = Some(offset);
        Flow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        let Some(offset) = finish.binary_offset.filter(|_| self.has_match) else {
            return;
        };
        let found = format!("(found \"\\0\" byte around offset {offset})");
        // An example: a closed pipe ends it at the next line.
        let _ = if self.binary == BinaryPolicy::Quit {
            writeln!(self.out, "WARNING: stopped searching binary file after match {found}")
        } else {
            writeln!(self.out, "binary file matches {found}")
        };
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut config = SearchConfig { line_numbers: true, ..SearchConfig::default() };
    let mut multiline = false;
    let mut binary = BinaryPolicy::Quit;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_bytes() {
            b"-q" => binary = BinaryPolicy::Quit,
            b"-b" => binary = BinaryPolicy::Convert,
            b"-a" => binary = BinaryPolicy::Text,
            b"-v" => config.invert = true,
            b"-p" => config.passthru = true,
            b"-Enone" => config.encoding = Encoding::None,
            [b'-', b'E', label @ ..] => {
                let encoding = encoding_rs::Encoding::for_label_no_replacement(label);
                config.encoding = Encoding::Always(encoding.ok_or("no such encoding")?);
            }
            b"-U" => multiline = true,
            b"-c" => config.crlf = true,
            b"-0" => config.line_terminator = 0,
            b"-N" => config.line_numbers = false,
            [b'-', b'A', ..] => config.after_context = argument[2..].parse()?,
            [b'-', b'B', ..] => config.before_context = argument[2..].parse()?,
            [b'-', b'm', ..] => config.max_matches = Some(argument[2..].parse()?),
            _ => names.push(argument),
        }
    }
    let mut names = names.into_iter();
    let pattern = names.next().ok_or("no pattern")?;
    let matcher = Matcher::new(
        &[pattern],
        &heist_matcher::Config {
            line_terminator: config.line_terminator,
            crlf: config.crlf,
            multiline,
            ban_nul: false,
            ..heist_matcher::Config::default()
        },
    )?;
    let mut finder = matcher.finder();
    let terminator = config.line_terminator;
    let mut searcher = Searcher::new(config);
    let out = BufWriter::new(io::stdout().lock());
    let mut printer = Printer { out, binary, binary_offset: None, has_match: false, terminator };
    for name in names {
        let source = Source { reader: File::open(name)?, binary, end: End::ShortRead };
        searcher.search(&mut finder, source, &mut printer)?;
    }
    printer.out.flush()?;
    Ok(())
}
