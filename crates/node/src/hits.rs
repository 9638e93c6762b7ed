//! Hits as a few arrays for many of them, which `lib/hit.js` makes objects of.

use std::{path::Path, sync::Arc};

use heist::{HitInContext, HitKind, OwnedHit};
use napi::bindgen_prelude::{Buffer, Float64Array};
use napi_derive::napi;

use crate::text::{PathValue, path_value, text_of, unit_offset};

/// Many hits.
#[napi(object, object_from_js = false)]
pub struct HitBatch {
    /// Files, each once for the hits in it that follow each other.
    pub paths: Vec<PathValue>,
    /// The lines of each hit: those before it, its own, those behind it.
    pub texts: Vec<String>,
    /// The lines of hits that are not UTF-8.
    pub raw: Vec<RawLine>,
    /// For each hit: the index of its path, the number of its line, the offset of the line, how
    /// many lines are before and behind it, and how many matches it has. Then four numbers for each
    /// match: where it begins and ends in the text, and where in the bytes. Then two for each line
    /// around the hit: its number, and 1 if it matches.
    pub numbers: Float64Array,
}

/// A line that is not UTF-8.
#[napi(object, object_from_js = false)]
pub struct RawLine {
    /// The index of its text.
    pub index: u32,
    /// The line.
    pub bytes: Buffer,
}

/// What a batch is made of.
#[derive(Default)]
struct Packer {
    paths: Vec<PathValue>,
    texts: Vec<String>,
    raw: Vec<RawLine>,
    numbers: Vec<f64>,
    last_path: Option<Arc<Path>>,
}

impl HitBatch {
    pub(crate) fn new(hits: Vec<HitInContext>) -> HitBatch {
        let mut packer = Packer::default();
        for found in hits {
            packer.push(&found);
        }
        let Packer { paths, texts, raw, numbers, .. } = packer;
        HitBatch { paths, texts, raw, numbers: numbers.into() }
    }
}

impl Packer {
    fn push(&mut self, found: &HitInContext) {
        let hit = &found.hit;
        if !self.last_path.as_ref().is_some_and(|last| Arc::ptr_eq(last, &hit.path)) {
            self.paths.push(path_value(&hit.path));
            self.last_path = Some(Arc::clone(&hit.path));
        }
        let counts = [found.before.len(), found.after.len(), hit.matches.len()];
        self.numbers.extend([
            (self.paths.len() - 1) as f64,
            hit.line_number as f64,
            hit.offset as f64,
        ]);
        self.numbers.extend(counts.map(|count| count as f64));
        for span in &hit.matches {
            let (start, end) =
                (unit_offset(&hit.bytes, span.start), unit_offset(&hit.bytes, span.end));
            self.numbers.extend([start, end, span.start, span.end].map(|at| at as f64));
        }
        self.push_around(&found.before);
        let (text, is_other) = text_of(&hit.bytes);
        if is_other {
            let index = self.texts.len() as u32;
            self.raw.push(RawLine { index, bytes: hit.bytes.clone().into() });
        }
        self.texts.push(text);
        self.push_around(&found.after);
    }

    fn push_around(&mut self, lines: &[OwnedHit]) {
        for line in lines {
            let is_match = line.kind == HitKind::Match;
            self.numbers.extend([line.line_number as f64, f64::from(u8::from(is_match))]);
            self.texts.push(line.text().into_owned());
        }
    }
}
