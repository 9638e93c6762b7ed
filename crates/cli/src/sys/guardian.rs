//! Ends the programs of this process if it is killed, and cannot do so itself.
//!
//! A shell reads the numbers of their process groups from a pipe. Once that ends, and so has this
//! process, it ends the groups that are left. A program remains if this process was killed just as
//! it started it, before the shell has learned about it. (`PR_SET_PDEATHSIG` is for Linux, needs
//! `unsafe` between `fork` and `exec`, and is not passed on to what a program starts.)

use std::{
    io::Write,
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use super::Group;

/// The numbers stand in `groups` with a blank on either side. All commands but `sleep` are the
/// shell's own.
const GUARDIAN_SCRIPT: &str = r#"groups=
while read -r act group; do
    case $act in
        +) groups="$groups $group " ;;
        -) groups="${groups%% $group *}${groups#* $group }" ;;
        *) exit ;;
    esac
done
end() { for group in $groups; do kill -s "$1" -- "-$group"; done; }
case $groups in
    *[0-9]*) end TERM; sleep 1; end KILL ;;
esac"#;

/// The process that does so. Without it, as where there is no shell, nothing is different unless
/// this process is killed.
pub(crate) struct Guardian(Mutex<Option<(Child, ChildStdin)>>);

impl Guardian {
    pub(crate) fn start() -> Guardian {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GUARDIAN_SCRIPT]).env_clear().env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Signals for this process' group are not for it.
        let child = command.current_dir("/").process_group(0).spawn().ok();
        let running = child.and_then(|mut child| child.stdin.take().map(|pipe| (child, pipe)));
        Guardian(Mutex::new(running))
    }

    /// Notes a group that is to be ended.
    pub(crate) fn add(&self, group: Group) {
        self.write(format_args!("+ {}\n", group.number()));
    }

    /// Forgets a group that was noted. Its leader has been waited for.
    pub(crate) fn remove(&self, group: Group) {
        self.write(format_args!("- {}\n", group.number()));
    }

    /// Ends it. To be called when no group is left, or this process has ended them.
    pub(crate) fn dismiss(&self) {
        self.write(format_args!("end\n"));
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((mut child, pipe)) = running {
            drop(pipe);
            let _ = child.wait();
        }
    }

    fn write(&self, line: std::fmt::Arguments<'_>) {
        if let Some((_, pipe)) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            // If it has been killed, there is none.
            let _ = pipe.write_all(line.to_string().as_bytes());
        }
    }
}
