//! One trial as a process: started in a group of its own, watched, ended, and measured.

pub mod owner;
mod capture;
mod groups;
mod lines;
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod system;

use std::fs::File;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use wait4::Wait4;

pub use capture::{Capture, Captured};
pub use groups::Groups;
pub use lines::Lines;
pub use system::{host, is_there, kill, own};

/// How often a running trial is asked whether it is to end.
const PACE: Duration = Duration::from_millis(50);

/// How long output is waited for that a process outside the group still holds open.
const LINGER: Duration = Duration::from_millis(500);

/// How long a trial may take, and how long it has to end by itself.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How long it may take.
    pub limit: Option<Duration>,
    /// How long it has once it was asked to end.
    pub grace: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, or by somebody else's signal.
    Itself(ExitStatus),
    /// Its time was up.
    TimedOut,
    /// It was asked to end.
    Asked,
}

/// A process that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// From start to end.
    pub wall: Duration,
    /// Its computing time and that of the processes that it waited for.
    pub cpu: Duration,
    /// What it wrote.
    pub output: Captured,
    /// What it wrote to the standard error.
    pub errors: Captured,
}

/// A process that runs.
pub struct Running {
    child: Child,
    began: Instant,
    ended: Receiver<io::Result<Instant>>,
    /// What reads its output; nothing if that goes into files.
    captures: Option<[Capture; 2]>,
    groups: Groups,
}

impl Running {
    /// Starts a process in a group of its own, without input.
    pub fn start(
        command: &mut Command,
        [output, errors]: [Captured; 2],
        groups: &Groups,
    ) -> io::Result<Self> {
        let mut running = Self::begin(command, [Stdio::piped(), Stdio::piped()], groups)?;
        running.captures = match (running.child.stdout.take(), running.child.stderr.take()) {
            (Some(stdout), Some(stderr)) => {
                Some([Capture::of(stdout, output), Capture::of(stderr, errors)])
            }
            _ => return Err(io::Error::other("the process has no output")),
        };
        Ok(running)
    }

    /// Starts a process in a group of its own, without input, that writes into files.
    pub fn start_into(
        command: &mut Command,
        files: [File; 2],
        groups: &Groups,
    ) -> io::Result<Self> {
        Self::begin(command, files.map(Stdio::from), groups)
    }

    fn begin(
        command: &mut Command,
        [output, errors]: [Stdio; 2],
        groups: &Groups,
    ) -> io::Result<Self> {
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let began = Instant::now();
        let child = groups.start(|| system::start(command))?;
        let id = child.id();
        let (sender, ended) = channel();
        thread::spawn(move || {
            // The receiver lives as long as the process, so nobody misses this.
            let _ = sender.send(system::wait_for_end(id));
        });
        Ok(Self { child, began, ended, captures: None, groups: groups.clone() })
    }

    /// The identifier of the process, which is also that of its group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end. Ends the whole group if the time is up, or once it is to end, which is
    /// asked every now and then.
    pub fn wait(
        mut self,
        patience: Patience,
        mut is_to_end: impl FnMut() -> bool,
    ) -> io::Result<Finished> {
        // A time too far away to be counted is no limit.
        let deadline = patience.limit.and_then(|limit| self.began.checked_add(limit));
        let (ended, reason) = loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match self.ended.recv_timeout(left.map_or(PACE, |left| left.min(PACE))) {
                Ok(ended) => break (ended?, None),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the thread that waits for a trial is gone"));
                }
                Err(RecvTimeoutError::Timeout) if is_to_end() => {
                    break (self.ask_to_end(patience.grace)?, Some(End::Asked));
                }
                Err(RecvTimeoutError::Timeout) if left == Some(Duration::ZERO) => {
                    break (self.ask_to_end(patience.grace)?, Some(End::TimedOut));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        self.clear_group(patience.grace);
        // The process is not reaped before this, so its group's number is nobody else's.
        let used = self.groups.reap(self.id(), || self.child.wait4())?;
        let [output, errors] = self.captures.map(|all| all.map(Capture::take)).unwrap_or_default();
        Ok(Finished {
            end: reason.unwrap_or(End::Itself(used.status)),
            wall: ended.saturating_duration_since(self.began),
            cpu: used.rusage.utime + used.rusage.stime,
            output,
            errors,
        })
    }

    /// Asks the group to end, and makes it end once the grace is over.
    fn ask_to_end(&self, grace: Duration) -> io::Result<Instant> {
        system::ask_to_end(self.id());
        match self.ended.recv_timeout(grace) {
            Ok(ended) => ended,
            Err(_) => {
                kill(self.id());
                // A process that cannot be killed hangs in the kernel; nothing can be done for it.
                self.ended.recv().map_err(io::Error::other)?
            }
        }
    }

    /// Ends what the process left behind in its group. Whoever still holds its output open has the
    /// grace to end.
    fn clear_group(&self, grace: Duration) {
        system::ask_to_end(self.id());
        let deadline = Instant::now() + grace;
        for capture in self.captures.iter().flatten() {
            capture.wait(deadline);
        }
        kill(self.id());
        let deadline = Instant::now() + LINGER;
        for capture in self.captures.iter().flatten() {
            capture.wait(deadline);
        }
    }
}
