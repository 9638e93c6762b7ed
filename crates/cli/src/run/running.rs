//! The programs that run for this one, which `--pre` and `--hostname-bin` name.
//!
//! Each leads its own process group, so that what it has started ends with it. It then gets no
//! signal from the terminal, such as Ctrl-C sends, so [`end_programs`] is called when one arrives,
//! or when the time is up. If this program is killed, a guardian ends them.

use std::{
    io,
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock},
    thread,
    time::Duration,
};

use crate::{error::park, sys};

/// How often it is checked, after a time that doubles, whether a program has ended after SIGTERM,
/// until it is killed: 127 ms in all.
const CHECKS_AFTER_SIGTERM: u32 = 7;

/// Whether no program may run any more. Locked for reading while one is started.
static IS_OVER: RwLock<bool> = RwLock::new(false);

/// The programs that run.
static RUNNING: Mutex<Vec<Arc<Program>>> = Mutex::new(Vec::new());

/// What ends them if this program is killed; there is none until one is started.
static GUARDIAN: OnceLock<sys::Guardian> = OnceLock::new();

/// A program that runs, or has run.
pub(crate) struct Program {
    /// Locked for a moment only.
    child: Mutex<Child>,
    group: sys::Group,
}

impl Program {
    /// Starts a program. Returns its pipes' ends too.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn start(
        command: &mut Command,
        stdin: impl Into<Stdio>,
    ) -> io::Result<(Arc<Program>, Option<ChildStdout>, Option<ChildStderr>)> {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        sys::lead_group(command);
        let is_over = IS_OVER.read().unwrap_or_else(PoisonError::into_inner);
        if *is_over {
            drop(is_over);
            park();
        }
        let guardian = GUARDIAN.get_or_init(sys::Guardian::start);
        let mut child = command.spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let group = sys::Group::led_by(&child);
        guardian.add(group);
        let program = Arc::new(Program { child: Mutex::new(child), group });
        lock(&RUNNING).push(Arc::clone(&program));
        drop(is_over);
        Ok((program, stdout, stderr))
    }

    /// Waits until the program has ended. What it has started may remain.
    pub(crate) fn wait(&self) -> io::Result<ExitStatus> {
        self.group.await_leader();
        self.child().wait()
    }

    /// Waits until the program has ended by itself, but no longer than `checks` checks take.
    pub(crate) fn wait_for(&self, checks: u32) -> io::Result<Option<ExitStatus>> {
        check(checks, || self.child().try_wait().transpose()).transpose()
    }

    /// Ends the program and what it has started.
    pub(crate) fn end(&self) {
        end([self].into_iter());
    }

    /// Forgets the program, which has been waited for.
    pub(crate) fn forget(&self) {
        lock(&RUNNING).retain(|program| !std::ptr::eq(&raw const **program, self));
        if let Some(guardian) = GUARDIAN.get() {
            guardian.remove(self.group);
        }
    }

    /// Requests the end. Returns whether there is anything to wait for.
    fn request_end(&self) -> bool {
        let _child = self.child();
        self.group.request_end()
    }

    /// Whether the program and all that it has started have ended.
    pub(crate) fn is_gone(&self) -> bool {
        // The group's number is free only once the program has been waited for.
        !matches!(self.child().try_wait(), Ok(None)) && self.group.is_empty()
    }

    /// Whether the program has been waited for. What it has started may remain.
    #[cfg(all(test, unix))]
    pub(crate) fn is_reaped(&self) -> bool {
        self.group.is_leader_reaped()
    }

    fn kill(&self) {
        let mut child = self.child();
        self.group.kill();
        // Nothing is left to do about a program that cannot be ended.
        let _ = child.kill();
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        lock(&self.child)
    }
}

/// Ends all programs that run, and prevents that others are started. To be called when this program
/// ends while threads still wait for them.
pub(crate) fn end_programs() {
    *IS_OVER.write().unwrap_or_else(PoisonError::into_inner) = true;
    let running = lock(&RUNNING).clone();
    end(running.iter().map(|program| &**program));
    dismiss_guardian();
}

/// Ends what is there in case this program is killed. To be called at the end, when no program
/// runs.
pub(crate) fn dismiss_guardian() {
    if let Some(guardian) = GUARDIAN.get() {
        guardian.dismiss();
    }
}

/// Whether [`end_programs`] has been called, so that it is no error if a program ends.
pub(crate) fn are_ended() -> bool {
    *IS_OVER.read().unwrap_or_else(PoisonError::into_inner)
}

fn end<'a>(programs: impl Iterator<Item = &'a Program> + Clone) {
    let left = programs.filter(|program| !program.is_gone());
    let waits = left.clone().fold(false, |waits, program| waits | program.request_end());
    let are_gone = || left.clone().next().is_none().then_some(());
    if !waits || check(CHECKS_AFTER_SIGTERM, are_gone).is_none() {
        left.for_each(Program::kill);
    }
}

/// What `attempt` returns, which is called once more than `times`, each time after twice the time
/// of the last, until it returns something.
fn check<T>(times: u32, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    for round in 0..times {
        if let Some(found) = attempt() {
            return Some(found);
        }
        thread::sleep(Duration::from_millis(1 << round));
    }
    attempt()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics between two changes.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
