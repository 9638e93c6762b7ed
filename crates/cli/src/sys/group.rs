//! Process groups: a program and what it starts.

#[cfg(unix)]
pub(crate) use unix::{Group, lead_group};
#[cfg(windows)]
pub(crate) use windows::{Group, Guardian, lead_group};

#[cfg(unix)]
mod unix {
    use std::{
        os::unix::process::CommandExt,
        process::{Child, Command},
    };

    use rustix::{
        io::Errno,
        process::{
            Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
        },
    };

    /// Makes a program that is about to be started the leader of a new group.
    pub(crate) fn lead_group(command: &mut Command) {
        command.process_group(0);
    }

    /// A process group. Its number is its own until its leader has been waited for and all others
    /// have ended.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Group(Pid);

    impl Group {
        /// The group of a program for which [`lead_group`] was called.
        pub(crate) fn led_by(child: &Child) -> Group {
            Group(Pid::from_child(child))
        }

        /// Waits until the leader has ended, and leaves it to be waited for.
        pub(crate) fn await_leader(self) {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(self.0), options), Err(Errno::INTR)) {}
        }

        /// Requests that all members end, by SIGTERM. Returns whether any may do so.
        pub(crate) fn request_end(self) -> bool {
            kill_process_group(self.0, Signal::TERM).is_ok()
        }

        /// Kills all members.
        pub(crate) fn kill(self) {
            // It fails for those that have ended.
            let _ = kill_process_group(self.0, Signal::KILL);
        }

        /// The number of the group.
        pub(crate) fn number(self) -> i32 {
            self.0.as_raw_nonzero().get()
        }

        /// Whether the leader has ended and been waited for.
        #[cfg(test)]
        pub(crate) fn is_leader_reaped(self) -> bool {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            matches!(waitid(WaitId::Pid(self.0), options), Err(Errno::CHILD))
        }

        /// Whether there are no members, not even one that has ended but has not been waited for:
        /// the leader by this process, others by init.
        pub(crate) fn is_empty(self) -> bool {
            test_kill_process_group(self.0) == Err(Errno::SRCH)
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::process::{Child, Command};

    /// Does nothing: programs have no groups.
    pub(crate) fn lead_group(_command: &mut Command) {}

    /// Nothing that ends programs if this one is killed.
    pub(crate) struct Guardian;

    impl Guardian {
        pub(crate) fn start() -> Guardian {
            Guardian
        }

        pub(crate) fn add(&self, _group: Group) {}

        pub(crate) fn remove(&self, _group: Group) {}

        pub(crate) fn dismiss(&self) {}
    }

    /// A program alone.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Group;

    impl Group {
        pub(crate) fn led_by(_child: &Child) -> Group {
            Group
        }

        /// Does nothing: waiting for the program does that.
        pub(crate) fn await_leader(self) {}

        /// Returns `false`: a program can only be killed.
        pub(crate) fn request_end(self) -> bool {
            false
        }

        /// Does nothing: killing the program does that.
        pub(crate) fn kill(self) {}

        pub(crate) fn is_empty(self) -> bool {
            true
        }
    }
}
