//! The contents of files: prose, code, tables, logs, and binary data.

use fastrand::Rng;

use crate::corpora::sample::lexicon::Lexicon;

/// Lines of code. `$` is a name, `@` one in capitals, `%` a number, `~` some words of prose.
const CODE: [&str; 24] = [
    "#include <$/$.h>\n",
    "#define @_@ 0x%\n",
    "/* ~. */\n",
    "static int $_$(struct $ *$, size_t size)\n{\n\tint error = 0;\n",
    "\treturn 0;\n}\n\n",
    "static void $_init(void)\n{\n\t$_$();\n}\n\n",
    "\tif ($->$ < $)\n\t\treturn -@;\n",
    "\tif (!$) {\n\t\terror = -@_@;\n\t\tgoto out;\n\t}\n",
    "\tfor (i = 0; i < $->count; i++)\n\t\t$[i] = $_$($, %);\n",
    "\t$ = $_$($, &$, sizeof(*$));\n",
    "\t$->$ = %;\n",
    "\t// ~\n",
    "\tputs(\"$: $ $\");\n",
    "struct $ {\n\tstruct $ *$;\n\tunsigned long $;\n\tint $;\n};\n\n",
    "fn $_$($: &$, size: usize) -> u64 {\n    let $ = $.$(%);\n",
    "    $.iter().map(|$| $.$ + %).sum()\n}\n\n",
    "    match $ {\n        % => $_$($),\n        _ => return None,\n    }\n",
    "def $_$(self, $, $=%):\n    \"\"\"~.\"\"\"\n    return self.$.$($)\n\n",
    "    self.$ = $($, %)\n",
    "    raise $(f\"~: {$}\")\n",
    "static int $_probe(void) {\n\treturn 0;\n}\n\n",
    "export const $ = ($, $) => $.$($ + %);\n",
    "\t{ \"$\", @_@, % },\n",
    "\n",
];

/// Words outside ASCII, which a few texts contain.
const FOREIGN: [&str; 12] = [
    "λόγος",
    "φύση",
    "θάλασσα",
    "мир",
    "слово",
    "книга",
    "東京",
    "言葉",
    "café",
    "naïve",
    "Straße",
    "año",
];

/// Writes texts.
pub(super) struct Author<'a> {
    pub(super) lexicon: &'a Lexicon,
    pub(super) random: &'a mut Rng,
}

impl Author<'_> {
    /// Paragraphs of sentences, in lines of about 72 bytes.
    pub(super) fn prose(&mut self, text: &mut Vec<u8>, size: usize) {
        let is_foreign = self.random.u64(..50) == 0;
        let mut column = 0;
        let mut left = 0;
        while text.len() < size {
            let begins = left == 0;
            if begins {
                left = 4 + self.random.u64(..16);
            }
            let start = text.len();
            if is_foreign && self.random.u64(..20) == 0 {
                let word = FOREIGN[self.random.usize(..FOREIGN.len())];
                text.extend_from_slice(word.as_bytes());
            } else {
                text.extend_from_slice(self.lexicon.word(self.random).as_bytes());
            }
            if begins {
                text[start].make_ascii_uppercase();
            }
            left -= 1;
            column += text.len() - start + 1;
            let ends = left == 0;
            if ends {
                text.push(b'.');
            } else if self.random.u64(..12) == 0 {
                text.push(b',');
            }
            if ends && self.random.u64(..6) == 0 {
                text.extend_from_slice(b"\n\n");
                column = 0;
            } else if column > 70 {
                text.push(b'\n');
                column = 0;
            } else {
                text.push(b' ');
            }
        }
        text.push(b'\n');
    }

    /// Lines that look like the sources of a program.
    pub(super) fn code(&mut self, text: &mut Vec<u8>, size: usize) {
        while text.len() < size {
            let line = CODE[self.random.usize(..CODE.len())];
            self.fill(text, line);
        }
    }

    /// A program without line ends, as sent to browsers.
    pub(super) fn minified(&mut self, text: &mut Vec<u8>, size: usize) {
        while text.len() < size {
            self.fill(text, "function $($,$){return $.$($,%)};");
        }
        text.push(b'\n');
    }

    /// Numbers and words with commas between them.
    pub(super) fn table(&mut self, text: &mut Vec<u8>, size: usize) {
        text.extend_from_slice(b"id,name,kind,amount,total\n");
        while text.len() < size {
            self.fill(text, "%,$,$,%,%.%\n");
        }
    }

    /// Times and messages.
    pub(super) fn log(&mut self, text: &mut Vec<u8>, size: usize) {
        let mut seconds = self.random.u64(..86_400);
        while text.len() < size {
            seconds = (seconds + self.random.u64(..3)) % 86_400;
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            text.extend_from_slice(format!("{hour:02}:{minute:02}:{second:02} ").as_bytes());
            let line = match self.random.u64(..40) {
                0 => "error $_$: ~ (code %)\n",
                1..4 => "warning $: ~\n",
                _ => "info $_$[%]: ~ took % ms\n",
            };
            self.fill(text, line);
        }
    }

    /// Random bytes after the magic number of an executable, which every tool takes for binary.
    pub(super) fn binary(&mut self, bytes: &mut Vec<u8>, size: usize) {
        bytes.extend_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
        while bytes.len() < size {
            bytes.extend_from_slice(&self.random.u64(..).to_le_bytes());
        }
    }

    /// Inserts a line that contains `word` between two lines of a text.
    pub(super) fn plant(&mut self, text: &mut Vec<u8>, word: &str) {
        let from = self.random.usize(..=text.len());
        let end = text[from..].iter().position(|byte| *byte == b'\n');
        let place = end.map_or(text.len(), |end| from + end + 1);
        let mut line = Vec::new();
        self.fill(&mut line, "// $ $ ");
        line.extend_from_slice(word.as_bytes());
        self.fill(&mut line, " $ $.\n");
        text.splice(place..place, line);
    }

    fn fill(&mut self, text: &mut Vec<u8>, line: &str) {
        for byte in line.bytes() {
            match byte {
                b'$' => text.extend_from_slice(self.lexicon.word(self.random).as_bytes()),
                b'@' => {
                    let start = text.len();
                    text.extend_from_slice(self.lexicon.word(self.random).as_bytes());
                    text[start..].make_ascii_uppercase();
                }
                b'%' => self.number(text),
                b'~' => self.phrase(text),
                _ => text.push(byte),
            }
        }
    }

    /// A number of up to five digits, small ones being more frequent.
    fn number(&mut self, text: &mut Vec<u8>) {
        let bound = 10_u64.pow(1 + self.random.u64(..5) as u32);
        text.extend_from_slice(self.random.u64(..bound).to_string().as_bytes());
    }

    fn phrase(&mut self, text: &mut Vec<u8>) {
        let words = 2 + self.random.u64(..8);
        for index in 0..words {
            if index > 0 {
                text.push(b' ');
            }
            text.extend_from_slice(self.lexicon.word(self.random).as_bytes());
        }
    }
}
