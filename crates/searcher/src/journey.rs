//! How a haystack was searched, for people.

use std::fmt;

use crate::{
    decode::{Detected, Form},
    route::{Extent, Facts, Route},
};

/// The routes of one haystack, and what led to them.
///
/// As text, a journey reads as `blocks (200.3 kB, readable again)`, or, if a route gave up, as
/// `chunks of lines, then blocks (1.2 GB, readable again)`.
#[derive(Clone, Debug)]
pub struct Journey(Way);

#[derive(Clone, Debug)]
enum Way {
    /// The haystack, which has this many bytes, was in memory.
    Slice(usize),
    /// The first route, and those after it: each took over from one that gave up.
    Routes(Facts, Route, Vec<Route>),
}

impl Journey {
    /// The journey of a haystack in memory with `len` bytes.
    pub(crate) fn slice(len: usize) -> Journey {
        Journey(Way::Slice(len))
    }

    pub(crate) fn new(facts: Facts, first: Route) -> Journey {
        Journey(Way::Routes(facts, first, Vec::new()))
    }

    /// Adds the route that is taken after those before gave up.
    pub(crate) fn add(&mut self, next: Route) {
        if let Way::Routes(_, _, others) = &mut self.0 {
            others.push(next);
        }
    }

    /// Whether the haystack was in memory after the first read, as most files are.
    #[must_use]
    pub fn is_slice(&self) -> bool {
        matches!(self.0, Way::Slice(_))
    }

    /// Whether no route was taken but through chunks.
    #[cfg(any(test, feature = "trials"))]
    pub(crate) fn is_through_chunks(&self) -> bool {
        let Way::Routes(_, first, others) = &self.0 else { return false };
        std::iter::once(first).chain(others).all(|route| matches!(route, Route::Chunks(_)))
    }
}

impl fmt::Display for Journey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (facts, first, others) = match &self.0 {
            Way::Slice(len) => return write!(f, "slice ({})", Bytes(*len as u64)),
            Way::Routes(facts, first, others) => (facts, first, others),
        };
        write!(f, "{first}")?;
        for next in others {
            write!(f, ", then {next}")?;
        }
        match facts.extent {
            Extent::Read(len) => write!(f, " ({}", Bytes(len))?,
            Extent::File(len) | Extent::LargeFile(len) => {
                write!(f, " ({}, readable again", Bytes(len))?;
            }
            Extent::Reader | Extent::Stream => f.write_str(" (of unknown length")?,
        }
        match facts.form {
            Form::Raw | Form::Marked => {}
            Form::Decoded => f.write_str(", decoded")?,
            Form::Detected(Detected { encoding, is_guess: true }) => {
                write!(f, ", decoded: guessed {}", encoding.name())?;
            }
            Form::Detected(Detected { encoding, is_guess: false }) => {
                write!(f, ", decoded: recognized {}", encoding.name())?;
            }
        }
        for (is_so, reason) in [
            (facts.has_nul, "has a NUL byte"),
            (facts.has_surroundings, "the text determines the context"),
            (facts.spans_lines, "matches span lines"),
            (facts.has_reach, "their reach is known"),
        ] {
            if is_so {
                write!(f, ", {reason}")?;
            }
        }
        f.write_str(")")
    }
}

/// A number of bytes, for people: `999 B`, `1.2 kB`, `1.2 GB`.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut tenths, mut unit) = (self.0.saturating_mul(10), "B");
        for larger in ["kB", "MB", "GB", "TB"] {
            if tenths < 10_000 {
                break;
            }
            (tenths, unit) = (tenths / 1000, larger);
        }
        match unit {
            "B" => write!(f, "{} B", self.0),
            _ => write!(f, "{}.{} {unit}", tenths / 10, tenths % 10),
        }
    }
}
