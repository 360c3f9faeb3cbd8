//! The lock of a journal: Optuna's, so that its processes and ours wait for each other.
//!
//! The lock of `study.log` is a symbolic link `study.log.lock`. To make it is to have it. It is
//! given back by renaming it to a name that nobody else uses, and removing that. A lock that did not
//! change for a grace of 30 seconds belongs to a process that died, and is taken over in the same
//! way.
//!
//! Our own processes need not wait so long for each other. Whoever makes the link also locks the
//! folder, if the system can do that, and marks the link by its machine, in the way of its path. The
//! system unlocks the folder with the end of the process. So a link with the mark of this machine,
//! in a folder that can be locked, belongs to a process that died.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::error::{Error, ErrorKind, Result};

/// How long a lock may stand before it is taken over: that of Optuna.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// The first wait for a lock that somebody has, and the longest one.
const FIRST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// An error of the file system, naming the file.
pub(super) fn unusable(path: &Path, what: &str, error: io::Error) -> Error {
    let message = format!("{}: {what}: {error}", path.display());
    Error::new(ErrorKind::Storage, message).with_source(error)
}

/// A lock that is held. It is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    link: PathBuf,
    /// The link as it was made. Another process may have taken it over since.
    made: Option<Metadata>,
    folder: Option<File>,
}

impl Lock {
    /// Waits for the lock of a journal. One that stands unchanged for the grace is taken over.
    ///
    /// # Errors
    /// `Storage` if the folder cannot be written, or the lock of a process that died cannot be
    /// removed.
    pub fn of(journal: &Path, grace: Duration) -> Result<Self> {
        let mut link = journal.as_os_str().to_owned();
        link.push(".lock");
        let link = PathBuf::from(link);
        let folder = lock_folder(journal, grace);
        let (mut wait, mut since, mut seen) = (FIRST_WAIT, Instant::now(), None);
        loop {
            match make(&target(journal, folder.is_some())?, &link) {
                Ok(()) => {
                    let made = fs::symlink_metadata(&link).ok();
                    return Ok(Self { link, made, folder });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unusable(&link, "the lock cannot be made", error)),
            }
            // Gone in the meantime: the next attempt may succeed.
            let Ok(found) = fs::symlink_metadata(&link) else { continue };
            let take_over = || {
                let what = "the lock of a process that died cannot be removed";
                remove(&link, &found).map_err(|error| unusable(&link, what, error))
            };
            if folder.is_some() && is_marked(&link, journal) {
                take_over()?;
                continue;
            }
            let now = Some((identity(&found), changed(journal)));
            if now != seen {
                seen = now;
                since = Instant::now();
            } else if since.elapsed() > grace {
                log::warn!(
                    "the lock {} is taken over after {} s",
                    link.display(),
                    grace.as_secs_f64()
                );
                take_over()?;
                seen = None;
                since = Instant::now();
                continue;
            }
            thread::sleep(wait);
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.made.iter().for_each(|made| drop(remove(&self.link, made)));
        self.folder.iter().for_each(|folder| drop(folder.unlock()));
    }
}

/// The folder of a journal, locked. None if the system cannot do that, or if somebody else has it
/// for the whole grace.
fn lock_folder(journal: &Path, grace: Duration) -> Option<File> {
    let began = Instant::now();
    let absolute = std::path::absolute(journal).ok()?;
    let folder = File::open(absolute.parent()?).ok().filter(|_| cfg!(unix))?;
    let mut wait = FIRST_WAIT;
    while began.elapsed() < grace {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(fs::TryLockError::WouldBlock) => thread::sleep(wait),
            Err(fs::TryLockError::Error(_)) => return None,
        }
        wait = (2 * wait).min(LONGEST_WAIT);
    }
    None
}

/// The target of the link: the journal, by a path that is good in any folder.
fn target(journal: &Path, marked: bool) -> Result<PathBuf> {
    let absolute = std::path::absolute(journal)
        .map_err(|error| unusable(journal, "the journal has no path", error))?;
    Ok(match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) if marked => {
            let mut path = folder.as_os_str().to_owned();
            path.push(&*MARK);
            path.push(name);
            PathBuf::from(path)
        }
        _ => absolute,
    })
}

/// The way from the folder to the journal in a marked link: the way to nowhere by a `.` or without
/// one for each bit of a number of the running system. Some file systems lock folders for one
/// machine only. Where there is no such number, all machines have the same mark.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let system = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let number = u32::from_str_radix(system.get(..8).unwrap_or_default(), 16).unwrap_or_default();
    way_of(number)
});

fn way_of(number: u32) -> String {
    let bits = (0..u32::BITS).map(|bit| if number >> bit & 1 == 1 { "./" } else { "/" });
    std::iter::once("/./").chain(bits).collect()
}

/// Whether a link was made by one of our processes on this machine with the folder locked.
fn is_marked(link: &Path, journal: &Path) -> bool {
    let target = fs::read_link(link).unwrap_or_default();
    let mut end = OsString::from(&*MARK);
    end.push(journal.file_name().unwrap_or_default());
    target.as_os_str().as_encoded_bytes().ends_with(end.as_encoded_bytes())
}

/// Makes the lock, if nobody has it.
fn make(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(not(unix))]
    {
        let _ = target;
        fs::OpenOptions::new().write(true).create_new(true).open(link).map(|_| ())
    }
}

/// The mark that tells a lock from one that was made later under the same name.
fn identity(found: &Metadata) -> (u64, Option<SystemTime>) {
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let number = 0;
    (number, found.modified().ok())
}

/// When the journal was last changed: who writes is alive.
fn changed(journal: &Path) -> Option<SystemTime> {
    fs::metadata(journal).and_then(|found| found.modified()).ok()
}

/// Removes a lock: one's own, or one whose holder died. One that another process made under this
/// name in the meantime stays.
fn remove(link: &Path, lock: &Metadata) -> io::Result<()> {
    let is_it = |found: Metadata| identity(&found) == identity(lock);
    if !fs::symlink_metadata(link).is_ok_and(is_it) {
        return Ok(());
    }
    let aside = unused(link);
    match fs::rename(link, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    // Another process may have been quicker even so. What it made is put back.
    if fs::symlink_metadata(&aside).is_ok_and(is_it) {
        let _ = fs::remove_file(&aside);
        return Ok(());
    }
    fs::rename(&aside, link)
}

/// A name beside the lock that nobody uses, with Optuna's ending.
fn unused(link: &Path) -> PathBuf {
    let mut name = link.as_os_str().to_owned();
    name.push(format!("{}.rename", random_name()));
    PathBuf::from(name)
}

/// A name that no other process makes: 128 random bits.
pub(super) fn random_name() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:08x}{:016x}", bits(), std::process::id(), bits())
}

/// Whether a text is such a name.
pub(super) fn is_random_name(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gittins-lock-{}", random_name()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn one_has_the_lock_and_the_others_wait() {
        let folder = folder();
        let journal = folder.join("a.log");
        fs::write(&journal, "").unwrap();
        let counter = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let lock = Lock::of(&journal, GRACE).unwrap();
                        let inside = counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        assert_eq!(inside, 0);
                        counter.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        // Nothing is left behind.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_lock_of_our_process_that_died_is_taken_over_at_once() {
        let folder = folder();
        let journal = folder.join("a.log");
        fs::write(&journal, "").unwrap();
        let link = folder.join("a.log.lock");
        let lock = Lock::of(&journal, GRACE).unwrap();
        // Readers of the link find the journal.
        assert_eq!(fs::metadata(&link).unwrap().len(), 0);
        let target = fs::read_link(&link).unwrap();
        drop(lock);
        make(&target, &link).unwrap();
        let began = Instant::now();
        drop(Lock::of(&journal, GRACE).unwrap());
        assert!(began.elapsed() < GRACE / 2);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    /// Folders may be locked for one machine only: the holder may be alive on another one.
    #[test]
    fn the_lock_of_another_machine_is_waited_for() {
        let folder = folder();
        let journal = folder.join("a.log");
        fs::write(&journal, "").unwrap();
        let link = folder.join("a.log.lock");
        let own = target(&journal, true).unwrap().into_os_string().into_string().unwrap();
        let other = if own.contains(&way_of(1)) { way_of(2) } else { way_of(1) };
        make(Path::new(&own.replace(&*MARK, &other)), &link).unwrap();
        assert_eq!(fs::metadata(&link).unwrap().len(), 0);
        let began = Instant::now();
        let grace = Duration::from_millis(300);
        drop(Lock::of(&journal, grace).unwrap());
        assert!(began.elapsed() >= grace);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_lock_of_another_process_is_taken_over_after_the_grace() {
        let folder = folder();
        let journal = folder.join("a.log");
        fs::write(&journal, "").unwrap();
        make(&journal, &folder.join("a.log.lock")).unwrap();
        let began = Instant::now();
        let grace = Duration::from_millis(300);
        let lock = Lock::of(&journal, grace).unwrap();
        assert!(began.elapsed() >= grace);
        drop(lock);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_lock_that_was_taken_over_is_not_given_back() {
        let folder = folder();
        let journal = folder.join("a.log");
        fs::write(&journal, "").unwrap();
        let link = folder.join("a.log.lock");
        let lock = Lock::of(&journal, GRACE).unwrap();
        // Clocks of file systems tick some hundred times in a second.
        thread::sleep(Duration::from_millis(50));
        fs::remove_file(&link).unwrap();
        make(&journal, &link).unwrap();
        drop(lock);
        assert!(fs::symlink_metadata(&link).is_ok());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_that_names_the_lock() {
        let error = Lock::of(Path::new("/nonexistent/a.log"), GRACE).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/a.log.lock"), "{error}");
    }
}
