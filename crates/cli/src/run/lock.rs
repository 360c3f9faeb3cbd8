//! The lock of a journal that nobody seems to hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A lock is held for one write. After this time its holder may be gone.
const LONG: Duration = Duration::from_secs(1);

/// What is said of a lock that stands for long; nothing if there is none.
pub fn words(journal: &Path) -> Option<String> {
    let mut link = journal.as_os_str().to_owned();
    link.push(".lock");
    let link = PathBuf::from(link);
    let made = fs::symlink_metadata(&link).ok()?.modified().ok()?;
    let age = SystemTime::now().duration_since(made).ok()?;
    (age > LONG).then(|| {
        format!(
            "{} is there since {} s: a process that was killed may have left it; it is taken over when it is 30 s old",
            link.display(),
            age.as_secs()
        )
    })
}
