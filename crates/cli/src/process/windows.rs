//! Processes and their groups as Windows has them: a job keeps whatever a process starts. It also
//! ends with this process, even if that is killed.

use std::collections::BTreeMap;
use std::env;
use std::fs::{File, TryLockError};
use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::{self, Child, Command};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use win32job::{ExtendedLimitInfo, Job};

pub use self::kill as ask_to_end;

/// The jobs by their first process.
fn jobs() -> MutexGuard<'static, BTreeMap<u32, Job>> {
    static JOBS: Mutex<BTreeMap<u32, Job>> = Mutex::new(BTreeMap::new());
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process, which has a job of its own.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    // CREATE_NEW_PROCESS_GROUP: Ctrl-C reaches this process alone.
    let mut child = command.creation_flags(0x200).spawn()?;
    match job.assign_process(child.as_raw_handle() as isize) {
        Ok(()) => drop(jobs().insert(child.id(), job)),
        // One that has ended already needs none.
        Err(_) if child.try_wait()?.is_some() => {}
        Err(error) => {
            child.kill()?;
            return Err(io::Error::other(error));
        }
    }
    Ok(child)
}

/// Ends the job of a process. Nothing there only asks for it.
pub fn kill(leader: u32) {
    jobs().remove(&leader);
}

/// The moment at which a process ends.
pub fn wait_for_end(process: u32) -> io::Result<Instant> {
    // A job that is too large for its list goes on.
    let is_in = |job: &Job| {
        job.query_process_id_list().map_or(true, |all| all.contains(&(process as usize)))
    };
    while jobs().get(&process).is_some_and(is_in) {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Instant::now())
}

/// The file that a process keeps locked as long as it is there.
fn mark(process: u32) -> PathBuf {
    env::temp_dir().join(format!("gittins.{process}"))
}

/// The number of this process, if others can see that it is there.
pub fn own() -> Option<u32> {
    static MARK: LazyLock<Option<File>> = LazyLock::new(|| {
        let file = File::create(mark(process::id())).ok()?;
        file.lock().ok().map(|()| file)
    });
    MARK.as_ref().map(|_| process::id())
}

/// Whether a process is there that has [its number](own) from here.
pub fn is_there(process: u32) -> bool {
    let file = File::open(mark(process));
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The machine and the user, who has a folder of marks.
pub fn host() -> String {
    ["COMPUTERNAME", "USERNAME"].map(|name| env::var(name).unwrap_or_default()).join(" ")
}
