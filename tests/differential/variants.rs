//! Runs that have to print the same bytes: with every queue, idle policy, number of workers and
//! reader of directories, and with every way to deliver the bytes of a file. Where files are not
//! sorted, their order may differ.

use std::{ffi::OsStr, fmt, process::Command};

use heist_queue::{IdleKind, QueueKind, Sharing};

use crate::{
    answer::{Answer, Order},
    generate::Shrink,
    process,
    random::{Choose, Rng},
    session::{Input, Session},
    temp_tree::TempTree,
    words,
};

/// The name of standard input in the output. A file of this name produces the same output.
const STDIN: &str = "<stdin>";

/// A session that is run in every variant.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    session: Session,
    /// Flags of every variant.
    common: Vec<&'static str>,
}

/// One way to run the session.
#[derive(Clone, Debug)]
struct Variant {
    args: Vec<String>,
    delivery: Delivery,
    /// No file is in the page cache when the run starts.
    is_cold: bool,
}

/// How the program receives the bytes of the only file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    /// As the session defines.
    Unchanged,
    /// Through a pipe.
    Pipe,
    /// Standard input is redirected from the file.
    Redirected,
    /// By a path, which is the name of standard input.
    Named,
}

impl Case {
    /// Returns a case that walks a tree.
    pub(crate) fn generate_walk(rng: &mut Rng) -> Case {
        let session = Session::generate_for(rng, &[Input::Walked, Input::Here, Input::Named]);
        let mut case = Case::of(rng, session, |_| true);
        for _ in 0..rng.usize(..3) {
            case.common.extend(rng.pick(&words::flags(words::OWN)).split(' '));
        }
        case
    }

    /// Returns a case with one file, whose bytes can be delivered in several ways.
    pub(crate) fn generate_file(rng: &mut Rng) -> Case {
        let session = Session::generate_for(rng, &[Input::Piped]);
        // The results of these flags depend on the name of a file, or on other files.
        let by_name = ["-z", "--pre", "--hyperlink-format", "--hostname-bin", "--files"];
        Case::of(rng, session, |flag| {
            flag == "--files-without-match" || !by_name.iter().any(|name| flag.starts_with(name))
        })
    }

    fn of(rng: &mut Rng, session: Session, keep: impl Fn(&str) -> bool) -> Case {
        let is_variant_flag = |flag: &str| flag == "-j2" || flag.ends_with("mmap");
        let mut session = session.with_flags(|flag| keep(flag) && !is_variant_flag(flag));
        // An unoptimised build takes seconds for a large file.
        if rng.chance(4) && !cfg!(debug_assertions) {
            session.enlarge(rng);
        }
        let common = if rng.chance(50) { vec!["--sort=path"] } else { Vec::new() };
        Case { session, common }
    }

    /// Describes the first variant that prints something else, in the smallest case that shows it.
    pub(crate) fn failure(self, rng: &mut Rng) -> Option<String> {
        let variants = self.variants(rng);
        let variant = variants.iter().find(|variant| self.differs(variant))?;
        let case = self.shrink(|case| case.differs(variant));
        let tree = case.build();
        let (reference, other) =
            (case.answer(&tree, &case.reference()), case.answer(&tree, variant));
        Some(format!("{variant:?}\n{case}\n{}", other.diff(&reference)))
    }

    /// A variant for every queue, or two for every delivery of the bytes. The other settings are
    /// random.
    fn variants(&self, rng: &mut Rng) -> Vec<Variant> {
        let deliveries: &[Delivery] = match self.session.piped() {
            Some(_) if self.depends_on_reads() => &[Delivery::Redirected, Delivery::Named],
            Some(_) => &[Delivery::Pipe, Delivery::Redirected, Delivery::Named],
            None => &[Delivery::Unchanged],
        };
        let queues = QueueKind::NAMES.iter().map(|queue| (Delivery::Unchanged, *queue));
        let queues = queues.filter(|_| self.session.piped().is_none());
        let deliveries = deliveries
            .iter()
            .flat_map(|delivery| [*delivery, *delivery])
            .map(|delivery| (delivery, "deque"));
        let mut variants: Vec<Variant> = queues
            .chain(deliveries)
            .map(|(delivery, queue)| Variant::generate(rng, delivery, queue))
            .collect();
        for (index, variant) in variants.iter_mut().enumerate() {
            // One of the two variants of a delivery maps the file.
            let is_mapped = if variant.delivery == Delivery::Unchanged {
                rng.chance(20)
            } else {
                index % 2 == 0
            };
            variant.args.extend(is_mapped.then(|| "--mmap".to_string()));
        }
        variants
    }

    /// The variant to compare with: one worker, which reads.
    fn reference(&self) -> Variant {
        let delivery =
            if self.depends_on_reads() { Delivery::Redirected } else { Delivery::Unchanged };
        Variant { args: vec!["-j1".to_string()], delivery, is_cold: false }
    }

    /// Whether the output depends on the sizes of reads from a pipe, as the lines before a NUL do.
    fn depends_on_reads(&self) -> bool {
        self.session.piped().is_some_and(|file| file.has_nul() && file.is_long())
    }

    fn build(&self) -> TempTree {
        let tree = self.session.build();
        if let Some(file) = self.session.piped() {
            tree.file(STDIN, file.bytes());
        }
        tree
    }

    fn differs(&self, variant: &Variant) -> bool {
        let tree = self.build();
        let reference = self.answer(&tree, &self.reference());
        let other = self.answer(&tree, variant);
        let agree =
            if self.session.is_quiet() { Answer::agrees_except_messages } else { Answer::agrees };
        !agree(&other, &reference, self.order())
    }

    fn order(&self) -> Order {
        let is_sorted = self.common.contains(&"--sort=path");
        if is_sorted { Order::Exact } else { self.session.order_of_many() }
    }

    fn answer(&self, tree: &TempTree, variant: &Variant) -> Answer {
        if variant.is_cold {
            tree.evict_from_page_cache();
        }
        let program = process::program();
        let mut command = match variant.delivery {
            Delivery::Redirected => {
                let mut shell = crate::command(tree, OsStr::new("sh"), &tree.path());
                shell.arg("-c").arg(format!("exec \"$@\" < '{STDIN}'")).arg("sh").arg(program);
                shell
            }
            Delivery::Unchanged | Delivery::Pipe | Delivery::Named => {
                crate::command(tree, program.as_os_str(), &tree.path())
            }
        };
        self.add_args(&mut command, variant);
        let is_piped = matches!(variant.delivery, Delivery::Unchanged | Delivery::Pipe);
        let piped = self.session.piped().filter(|_| is_piped).map(|file| file.bytes());
        let outcome = process::run(&mut command, piped);
        let messages = String::from_utf8_lossy(&outcome.stderr);
        assert!(!outcome.hung, "{variant:?} hung: {self}{messages}");
        Answer::of(&outcome)
    }

    fn add_args(&self, command: &mut Command, variant: &Variant) {
        command.args(self.session.args()).args(&self.common).args(&variant.args);
        if variant.delivery == Delivery::Named {
            command.arg(STDIN);
        }
    }
}

impl Variant {
    fn generate(rng: &mut Rng, delivery: Delivery, queue: &str) -> Variant {
        let args = [
            format!("-j{}", 1 + rng.usize(..8)),
            format!("--queue={queue}"),
            format!("--idle={}", rng.pick(IdleKind::NAMES)),
            format!("--sharing={}", rng.pick(Sharing::NAMES)),
            format!("--reader={}", rng.pick(&["linux", "portable"])),
        ];
        Variant { args: args.to_vec(), delivery, is_cold: rng.chance(15) }
    }
}

impl Shrink for Case {
    fn candidates(&self) -> impl Iterator<Item = Case> {
        let sessions = self.session.candidates();
        sessions.map(|session| Case { session, common: self.common.clone() })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.common, self.session)
    }
}
