//! Processes and their groups as Unix has them.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, Command};
use std::time::Instant;

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{self as system, Pid, Signal, WaitId, WaitIdOptions};

/// Starts a process, which leads a group of its own.
pub fn start(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

/// Asks the group of a process to end. An empty group needs no signal.
pub fn ask_to_end(leader: u32) {
    let _ = pid(leader).map(|pid| system::kill_process_group(pid, Signal::TERM));
}

/// Ends the group of a process.
pub fn kill(leader: u32) {
    let _ = pid(leader).map(|pid| system::kill_process_group(pid, Signal::KILL));
}

/// The moment at which a process ends. The process stays to be reaped.
pub fn wait_for_end(process: u32) -> io::Result<Instant> {
    let id = pid(process).map(WaitId::Pid).ok_or(Errno::SRCH)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    retry_on_intr(|| system::waitid(id.clone(), options))?;
    Ok(Instant::now())
}

fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

/// The number of this process.
pub fn own() -> Option<u32> {
    Some(process::id())
}

/// Whether there is a process of a number.
pub fn is_there(process: u32) -> bool {
    pid(process).is_some_and(|pid| system::test_kill_process(pid) != Err(Errno::SRCH))
}

/// The machine, and on Linux the room of its process numbers.
pub fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    match fs::read_link("/proc/self/ns/pid") {
        Ok(room) => format!("{name} {}", room.display()),
        Err(_) => name,
    }
}
