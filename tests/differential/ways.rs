//! Ways to one answer: queues, idle policies, numbers of workers, readers of directories, and how the bytes of a file
//! come. None of them may change a byte of what is printed; where files are not put in order, whole files may change
//! places.

use std::{ffi::OsStr, fmt, process::Command};

use heist_queue::{IdleKind, QueueKind};

use crate::{
    answer::{Answer, Order},
    grow::{Random, Smaller},
    process,
    session::{Input, Session},
    temp_tree::TempTree,
};

/// What standard input is called in the output. A file that is named so looks the same there.
const STDIN: &str = "<stdin>";

/// A session that is tried in every way.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    session: Session,
    /// What all ways have in common.
    common: Vec<&'static str>,
}

/// How one run gets at its answer.
#[derive(Clone, Debug)]
struct Way {
    args: Vec<String>,
    feed: Feed,
    /// No file is in memory when the run begins.
    is_cold: bool,
}

/// How the bytes of the one file come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feed {
    /// As the session says.
    Usual,
    /// Through a pipe.
    Pipe,
    /// Standard input is the file.
    Redirected,
    /// By its name, which is that of standard input.
    Named,
}

impl Case {
    /// A tree that is walked.
    pub(crate) fn grow_walk(random: &mut Random) -> Case {
        let session = Session::grow_for(random, &[Input::Walked, Input::Here, Input::Named]);
        Case::of(random, session, |_| true)
    }

    /// One file, whose bytes may come in several ways.
    pub(crate) fn grow_file(random: &mut Random) -> Case {
        let session = Session::grow_for(random, &[Input::Piped]);
        // What depends on the name of a file, or lists others.
        let by_name = ["-z", "--pre", "--hyperlink-format", "--hostname-bin", "--files"];
        Case::of(random, session, |flag| {
            flag == "--files-without-match" || !by_name.iter().any(|name| flag.starts_with(name))
        })
    }

    fn of(random: &mut Random, session: Session, stays: impl Fn(&str) -> bool) -> Case {
        let is_way = |flag: &str| flag == "-j2" || flag.ends_with("mmap");
        let mut session = session.with_flags(|flag| stays(flag) && !is_way(flag));
        // That takes seconds where nothing is optimised.
        if random.chance(4) && !cfg!(debug_assertions) {
            session.enlarge(random);
        }
        let common = if random.chance(50) { vec!["--sort=path"] } else { Vec::new() };
        Case { session, common }
    }

    /// The first way that leads elsewhere, in the smallest case that shows it.
    pub(crate) fn fault(self, random: &mut Random) -> Option<String> {
        let ways = self.ways(random);
        let way = ways.iter().find(|way| self.differs(way))?;
        let case = self.shrink(|case| case.differs(way));
        let tree = case.build();
        let (usual, other) = (case.answer(&tree, &case.usual()), case.answer(&tree, way));
        Some(format!("{way:?}\n{case}\n{}", other.beside(&usual)))
    }

    /// Every queue, and every way for bytes to come. The rest is left to chance.
    fn ways(&self, random: &mut Random) -> Vec<Way> {
        let feeds: &[Feed] = match self.session.piped() {
            Some(_) if self.heeds_pipe() => &[Feed::Redirected, Feed::Named],
            Some(_) => &[Feed::Pipe, Feed::Redirected, Feed::Named],
            None => &[Feed::Usual],
        };
        let queues = QueueKind::NAMES.iter().map(|queue| (Feed::Usual, *queue));
        let queues = queues.filter(|_| self.session.piped().is_none());
        let feeds = feeds.iter().flat_map(|feed| [*feed, *feed]).map(|feed| (feed, "deque"));
        let mut ways: Vec<Way> =
            queues.chain(feeds).map(|(feed, queue)| Way::grow(random, feed, queue)).collect();
        for (index, way) in ways.iter_mut().enumerate() {
            // Of the two for each feed, one through a map.
            let is_mapped =
                if way.feed == Feed::Usual { random.chance(20) } else { index % 2 == 0 };
            way.args.extend(is_mapped.then(|| "--mmap".to_string()));
        }
        ways
    }

    /// One worker, who reads.
    fn usual(&self) -> Way {
        let feed = if self.heeds_pipe() { Feed::Redirected } else { Feed::Usual };
        Way { args: vec!["-j1".to_string()], feed, is_cold: false }
    }

    /// Whether what is printed depends on how a pipe delivers: that of what stands before a NUL does.
    fn heeds_pipe(&self) -> bool {
        self.session.piped().is_some_and(|file| file.has_nul() && file.is_long())
    }

    fn build(&self) -> TempTree {
        let tree = self.session.build();
        if let Some(file) = self.session.piped() {
            tree.file(STDIN, file.bytes());
        }
        tree
    }

    fn differs(&self, way: &Way) -> bool {
        let tree = self.build();
        let usual = self.answer(&tree, &self.usual());
        let other = self.answer(&tree, way);
        let agree =
            if self.session.is_quiet() { Answer::agrees_but_for_messages } else { Answer::agrees };
        !agree(&other, &usual, self.order())
    }

    fn order(&self) -> Order {
        if self.common.is_empty() { self.session.order_of_many() } else { Order::Settled }
    }

    fn answer(&self, tree: &TempTree, way: &Way) -> Answer {
        if way.is_cold {
            tree.evict_from_page_cache();
        }
        let program = OsStr::new(env!("CARGO_BIN_EXE_hs"));
        let mut command = match way.feed {
            Feed::Redirected => {
                let mut shell = crate::command(tree, OsStr::new("sh"), &tree.path());
                shell.arg("-c").arg(format!("exec \"$@\" < '{STDIN}'")).arg("sh").arg(program);
                shell
            }
            Feed::Usual | Feed::Pipe | Feed::Named => crate::command(tree, program, &tree.path()),
        };
        self.add_args(&mut command, way);
        let is_fed = matches!(way.feed, Feed::Usual | Feed::Pipe);
        let piped = self.session.piped().filter(|_| is_fed).map(|file| file.bytes());
        let outcome = process::run(&mut command, piped);
        let messages = String::from_utf8_lossy(&outcome.stderr);
        assert!(!outcome.hung, "{way:?} hung: {self}{messages}");
        Answer::of(&outcome)
    }

    fn add_args(&self, command: &mut Command, way: &Way) {
        command.args(self.session.args()).args(&self.common).args(&way.args);
        if way.feed == Feed::Named {
            command.arg(STDIN);
        }
    }
}

impl Way {
    fn grow(random: &mut Random, feed: Feed, queue: &str) -> Way {
        let args = [
            format!("-j{}", 1 + random.below(8)),
            format!("--queue={queue}"),
            format!("--idle={}", random.pick(IdleKind::NAMES)),
            format!("--reader={}", random.pick(&["linux", "portable"])),
        ];
        Way { args: args.to_vec(), feed, is_cold: random.chance(15) }
    }
}

impl Smaller for Case {
    fn smaller(&self) -> impl Iterator<Item = Case> {
        let sessions = self.session.smaller();
        sessions.map(|session| Case { session, common: self.common.clone() })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.common, self.session)
    }
}
