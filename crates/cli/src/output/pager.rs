//! A pager between results and the terminal (`--pager`).
//!
//! ```text
//! Held ──────────────► Shown ───────────────► Paged ──────► Closed
//!   results wait for     they are on the        the pager     it has all, and
//!   a moment             terminal, and kept     reads them    is waited for
//! ```
//!
//! Results are held for as long as any worker's may wait, which is enough for a run that fills the
//! screen at once. Then they are shown, and further ones as they come, so that a slow search shows
//! what it finds. Once they exceed the screen, the pager is started and gets them all, in place of
//! what is shown: that is erased if it is known how many rows it takes.
//!
//! Results are written in lines, as a terminal needs them. For the pager they are gathered, and a
//! thread writes them after a moment.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, BufWriter, IsTerminal, Write},
    mem,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    thread,
};

use super::{
    blocking_stdout::{BlockingStdout, write_to_stderr},
    screen::ScreenExtent,
    shared::{FLUSH_LEN, MAX_DELAY},
    status_line,
};
use crate::{
    run::programs,
    sys::{self, TerminalSize},
    texts::name,
};

/// Which pager, and for which terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PagerConfig {
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// How large the terminal is.
    pub(crate) screen: TerminalSize,
    /// Whether the terminal can erase what it shows.
    pub(crate) erases: bool,
}

/// The pager of this process, which has one standard output.
static PAGER: OnceLock<Pager> = OnceLock::new();

/// Standard output, through a pager once there is much of it.
pub(super) struct Pager {
    config: PagerConfig,
    state: Mutex<PagerState>,
    /// Notified when the first bytes are gathered for the pager, and at the end.
    gathered: Condvar,
    /// Whether the pager's process runs. Locked after the state.
    runs: Mutex<bool>,
    /// Notified when it has ended.
    ended: Condvar,
    /// Set then, so that workers end.
    stop: Arc<AtomicBool>,
}

enum PagerState {
    /// Results are waiting.
    Held(FittingResults),
    /// The results are on the terminal, and so are those that follow.
    Shown(FittingResults),
    /// There is no pager.
    Plain,
    /// The pager reads this pipe.
    Paged(BufWriter<ChildStdin>),
    /// The pager has everything.
    Closed,
}

/// Results that fit on the screen.
struct FittingResults {
    bytes: Vec<u8>,
    extent: ScreenExtent,
    /// Whether messages stand between them on the terminal.
    is_mixed: bool,
}

/// Sends standard output through a pager once it exceeds the screen. `stop` is set when the pager
/// has ended.
pub(crate) fn page(config: PagerConfig, stop: Arc<AtomicBool>) {
    let extent = ScreenExtent::new(config.screen);
    let state =
        Mutex::new(PagerState::Held(FittingResults { bytes: Vec::new(), extent, is_mixed: false }));
    let (gathered, runs, ended) = Default::default();
    // There is one run in a process.
    let _ = PAGER.set(Pager { config, state, gathered, runs, ended, stop });
}

/// The pager, if results may go through one.
#[inline]
pub(super) fn pager() -> Option<&'static Pager> {
    PAGER.get()
}

/// Shows what is held, or waits until the user has left the pager. To be called at the end.
pub(crate) fn finish_paging() {
    if let Some(pager) = pager() {
        // A failure cannot be reported any more.
        let _ = pager.close();
        pager.await_end();
        // After Ctrl-C, the signal ends the program.
        sys::stop_if_ending();
    }
}

/// Shows what is held, or waits until the user has left the pager. What follows is shown without
/// one.
pub(crate) fn end_paging() {
    finish_paging();
    if let Some(pager) = pager() {
        *pager.state() = PagerState::Plain;
    }
}

/// Waits until the user has left the pager, if it runs. To be called when a signal ends the run:
/// pagers survive Ctrl-C, and get no other.
pub(crate) fn leave_to_pager() {
    if let Some(pager) = pager() {
        // A worker that writes to a pager that does not read holds the lock.
        let closes = thread::Builder::new().spawn(move || pager.close());
        if closes.is_ok() {
            pager.await_end();
        }
    }
}

impl Pager {
    /// Writes results.
    pub(super) fn write(&'static self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        match &mut *state {
            PagerState::Held(kept) => {
                let is_first = kept.bytes.is_empty();
                match kept.add(bytes) {
                    true => self.start(&mut state, None),
                    false if is_first => self.show_soon(&mut state),
                    false => Ok(()),
                }
            }
            PagerState::Shown(kept) => {
                let shown = kept.shown(&self.config);
                match kept.add(bytes) {
                    true => self.start(&mut state, Some(shown)),
                    false => show(bytes),
                }
            }
            PagerState::Plain => show(bytes),
            PagerState::Paged(pipe) => {
                let is_first = pipe.buffer().is_empty();
                pipe.write_all(bytes)?;
                if is_first {
                    self.gathered.notify_one();
                }
                Ok(())
            }
            PagerState::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Writes a message to standard error, or to the pager if that has its terminal. On the
    /// terminal it stands behind the results that precede it.
    pub(super) fn write_message(&self, message: &[u8]) -> io::Result<()> {
        if !io::stderr().is_terminal() {
            return write_to_stderr(message);
        }
        let mut state = self.state();
        if let PagerState::Paged(pipe) = &mut *state
            && pipe.write_all(message).and_then(|()| pipe.flush()).is_ok()
        {
            return Ok(());
        }
        if matches!(&*state, PagerState::Held(kept) if !kept.bytes.is_empty()) {
            // A failure shows at the next write.
            let _ = Pager::show_held(&mut state);
        }
        if let PagerState::Shown(kept) = &mut *state {
            kept.is_mixed = true;
        }
        // No pager is started before the state is unlocked.
        write_to_stderr(message)
    }

    /// Shows what is held after a moment. The run has workers already, so that another thread
    /// costs them nothing.
    fn show_soon(&'static self, state: &mut PagerState) -> io::Result<()> {
        let show_late = move || {
            thread::sleep(MAX_DELAY);
            // The next write fails likewise.
            let _ = Pager::show_held(&mut self.state());
        };
        match thread::Builder::new().spawn(show_late) {
            Ok(_) => Ok(()),
            Err(_) => Pager::show_held(state),
        }
    }

    fn show_held(state: &mut PagerState) -> io::Result<()> {
        match mem::replace(state, PagerState::Plain) {
            PagerState::Held(kept) => {
                let shown = show(&kept.bytes);
                *state = PagerState::Shown(kept);
                shown
            }
            other => {
                *state = other;
                Ok(())
            }
        }
    }

    /// Starts the pager with the results that are kept. Some may be on the terminal.
    fn start(&'static self, state: &mut PagerState, shown: Option<Shown>) -> io::Result<()> {
        let kept = match mem::replace(state, PagerState::Plain) {
            PagerState::Held(kept) | PagerState::Shown(kept) => kept.bytes,
            PagerState::Plain | PagerState::Paged(_) | PagerState::Closed => return Ok(()),
        };
        status_line::end();
        let missing = match shown {
            Some(Shown { rows: Some(rows), .. }) if self.screen_has_its_size() => {
                erase(rows)?;
                &kept
            }
            Some(Shown { len, .. }) => &kept[len..],
            None => &kept,
        };
        match self.spawn() {
            Ok(mut pipe) => {
                let written = pipe.write_all(&kept);
                *state = PagerState::Paged(BufWriter::with_capacity(FLUSH_LEN, pipe));
                written
            }
            Err(error) => {
                let command = &self.config.command[0];
                let program = name::program();
                let message = format!(
                    "{program}: cannot start the pager '{command}', so there is none: {error}\n"
                );
                let _ = write_to_stderr(message.as_bytes());
                show(missing)
            }
        }
    }

    /// Whether the terminal has the size that rows were counted for.
    fn screen_has_its_size(&self) -> bool {
        sys::stdout_size().is_none_or(|size| size == self.config.screen)
    }

    /// Starts the pager, a thread that notices its end, and one that writes what is gathered.
    fn spawn(&'static self) -> io::Result<ChildStdin> {
        let (sender, receiver) = channel::<Child>();
        let watch = move || {
            let Ok(mut child) = receiver.recv() else { return };
            let _ = child.wait();
            // Ordering: Relaxed; a hint to end early.
            self.stop.store(true, Ordering::Relaxed);
            *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = false;
            self.ended.notify_all();
        };
        thread::Builder::new().spawn(watch)?;
        // It begins once the state is unlocked.
        thread::Builder::new().spawn(|| self.write_gathered())?;
        let mut command = command(&self.config.command)?;
        // While the pager starts, `leave_to_pager` waits for this lock, or is not called yet.
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if sys::is_ending() {
            // A pager that starts now would outlive the program.
            drop(runs);
            sys::stop_if_ending();
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        *runs = true;
        drop(runs);
        let _ = sender.send(child);
        Ok(pipe)
    }

    /// Writes what is gathered for the pager, each time after a moment, until the end.
    fn write_gathered(&self) {
        loop {
            let waits = |state: &mut PagerState| matches!(state, PagerState::Paged(pipe) if pipe.buffer().is_empty());
            drop(self.gathered.wait_while(self.state(), waits));
            thread::sleep(MAX_DELAY);
            let PagerState::Paged(pipe) = &mut *self.state() else { return };
            if pipe.flush().is_err() {
                // The next write fails likewise.
                return;
            }
        }
    }

    /// Ends the results: shows what is held, or closes the pipe.
    fn close(&self) -> io::Result<()> {
        match mem::replace(&mut *self.state(), PagerState::Closed) {
            PagerState::Held(kept) => show(&kept.bytes),
            PagerState::Paged(mut pipe) => {
                self.gathered.notify_one();
                pipe.flush()
            }
            PagerState::Shown(_) | PagerState::Plain | PagerState::Closed => Ok(()),
        }
    }

    fn await_end(&self) {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.ended.wait_while(runs, |runs| *runs));
    }

    fn state(&self) -> MutexGuard<'_, PagerState> {
        // Wherever a thread panics, the state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is on the terminal.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// How many bytes there are.
    len: usize,
    /// How many rows there are, if they can be erased.
    rows: Option<usize>,
}

impl FittingResults {
    /// Adds results. Returns whether they exceed the screen.
    fn add(&mut self, bytes: &[u8]) -> bool {
        self.bytes.extend_from_slice(bytes);
        self.extent.add(bytes);
        self.extent.exceeds_screen()
    }

    /// What is on the terminal, if all of this is.
    fn shown(&self, config: &PagerConfig) -> Shown {
        let rows = self.extent.rows().filter(|_| config.erases && !self.is_mixed);
        Shown { len: self.bytes.len(), rows }
    }
}

/// Writes to the terminal.
fn show(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = BlockingStdout(io::stdout());
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

/// Erases `rows` rows above the cursor, and the cursor's own.
fn erase(rows: usize) -> io::Result<()> {
    let up = if rows > 0 { format!("\x1b[{rows}A") } else { String::new() };
    show(format!("{up}\r\x1b[J").as_bytes())
}

/// The command with these words. `less`, and whatever runs it, shows styles as such, and unless the
/// user has set options, ends by itself if everything is visible; likewise `lv`, as with git.
fn command(words: &[String]) -> io::Result<Command> {
    let (program, args) = words.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = programs::to_run(&programs::command(Path::new(program))?);
    command.args(args);
    let less = match env::var_os("LESS") {
        // The user's options follow, and may undo it.
        Some(options) => [OsStr::new("-R "), &options].into_iter().collect(),
        None => OsString::from("FRX"),
    };
    command.env("LESS", less);
    if env::var_os("LV").is_none() {
        command.env("LV", "-c");
    }
    Ok(command)
}
