//! What was measured on this machine, in files, so that the next process does not measure it again.
//!
//! A file belongs to one measurement, one adapter with its driver, one version of this crate and
//! one number of threads. All of them stand at its beginning. A file that begins otherwise, cannot
//! be read or is too old counts as none: the measurement is made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, io, process};

use etcetera::BaseStrategy;

use crate::backend::gpu::hardware::adapter::AdapterReport;

/// The version of the format.
const FORMAT: u32 = 1;

/// How long a measurement counts: 30 days. Systems and clocks of a machine change.
const LASTS: Duration = Duration::from_secs(30 * 24 * 3600);

/// The last line. A file without it was cut off.
const END: &str = "end\n";

/// The variable that names the folder.
const VARIABLE: &str = "GITTINS_CACHE";

/// The measurements of one adapter that are kept in a folder.
#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
    /// What the measurements depend on, one thing a line.
    machine: String,
}

impl Kept {
    /// In the folder that `GITTINS_CACHE` names, otherwise in the user's folder of caches. `None`
    /// if nothing is to be kept.
    pub fn of_user(report: &AdapterReport) -> Option<Self> {
        if cfg!(test) {
            // Tests find nothing that an earlier run has left.
            return None;
        }
        let named = env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let folder = match named {
            Some(value) if value == "off" => return None,
            Some(value) => PathBuf::from(value),
            None => {
                etcetera::base_strategy::choose_native_strategy().ok()?.cache_dir().join("gittins")
            }
        };
        Some(Self::in_folder(folder, report))
    }

    /// In a folder.
    pub fn in_folder(folder: PathBuf, report: &AdapterReport) -> Self {
        let machine = format!(
            "version {}\nadapter {}\ninterface {}\ndriver {}\nthreads {}\n",
            env!("CARGO_PKG_VERSION"),
            report.name,
            report.interface,
            report.driver,
            rayon::current_num_threads(),
        );
        Self { folder, machine }
    }

    /// What `parse` makes of the text that was kept of a measurement. `None` if there is no such
    /// text, or if `parse` refuses it.
    pub fn read<T>(&self, what: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let path = self.path(what);
        let text = recent(&path)
            .inspect_err(|error| log::debug!("{}: {error}", path.display()))
            .ok()??;
        let body = text.strip_prefix(&self.heading(what))?.strip_suffix(END)?;
        let parsed = parse(body);
        if parsed.is_none() {
            log::debug!("{}: not understood", path.display());
        }
        parsed
    }

    /// Keeps the text of a measurement in place of the text before. The text consists of whole
    /// lines. A folder that cannot be written keeps nothing.
    pub fn write(&self, what: &str, text: &str) {
        let path = self.path(what);
        let whole = format!("{}{text}{END}", self.heading(what));
        if let Err(error) = replace(&path, &whole) {
            log::debug!("{}: {error}", path.display());
        }
    }

    /// The first lines of a file.
    fn heading(&self, what: &str) -> String {
        format!("gittins {FORMAT}\nmeasured {what}\n{}", self.machine)
    }

    /// The file of a measurement. If two ever had the same one, the heading would tell them apart.
    fn path(&self, what: &str) -> PathBuf {
        let kind = what.split(' ').next().unwrap_or_default();
        self.folder.join(format!("{kind}-{:016x}.txt", hash(&self.heading(what))))
    }
}

/// The text of a file that is not too old. `None` if there is no file, or an old one.
fn recent(path: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    // A file of the future tells that the clock was set, and not how old it is.
    let is_recent = metadata.modified()?.elapsed().is_ok_and(|age| age < LASTS);
    is_recent.then(|| fs::read_to_string(path)).transpose()
}

/// Writes a file under another name first. So no process reads half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}.{number}", process::id()));
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // Nothing is left of a draft. There may be none.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// FNV-1a with 64 bits, which is the same in every version of Rust.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number of seconds as it was kept: finite and not negative.
pub fn seconds(word: &str) -> Option<f64> {
    word.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn report(driver: &str) -> AdapterReport {
        let mut adapter = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Vulkan);
        adapter.driver = driver.to_string();
        AdapterReport::of(&adapter, wgpu::Features::empty(), &wgpu::Limits::default())
    }

    fn number(text: &str) -> Option<f64> {
        seconds(text.trim())
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_was_kept_is_read_for_the_same_measurement_alone() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("one/two");
        let kept = Kept::in_folder(below.clone(), &report("1"));
        assert_eq!(kept.read("latency f32", number), None);
        kept.write("latency f32", "3.5e-5\n");
        assert_eq!(kept.read("latency f32", number), Some(3.5e-5));
        assert_eq!(kept.read("latency f64", number), None);
        let newer = Kept::in_folder(below.clone(), &report("2"));
        assert_eq!(newer.read("latency f32", number), None);
        newer.write("latency f32", "1\n");
        kept.write("latency f32", "2\n");
        assert_eq!(newer.read("latency f32", number), Some(1.0));
        assert_eq!(kept.read("latency f32", number), Some(2.0));
        // No draft stays.
        assert_eq!(files(&below).len(), 2);
    }

    #[test]
    fn a_file_that_is_damaged_or_of_another_version_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::in_folder(folder.path().to_path_buf(), &report("1"));
        kept.write("latency", "1\n");
        let path = files(folder.path()).remove(0);
        let whole = fs::read_to_string(&path).unwrap();
        for damaged in [
            String::new(),
            whole.replace("gittins 1\n", "gittins 2\n"),
            whole.replace("threads ", "threads 1"),
            whole.replace("\n1\n", "\n-1\n"),
            whole.replace("\n1\n", "\ninf\n"),
            whole.replace("\n1\n", "\nNaN\n"),
            whole.replace("\n1\n", "\none\n"),
            whole.replace("end\n", ""),
        ] {
            assert_ne!(damaged, whole);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(kept.read("latency", number), None, "{damaged}");
        }
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(kept.read("latency", number), None);
        kept.write("latency", "2\n");
        assert_eq!(kept.read("latency", number), Some(2.0));
    }

    #[test]
    fn an_old_file_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::in_folder(folder.path().to_path_buf(), &report("1"));
        kept.write("latency", "1\n");
        let file = fs::File::options().write(true).open(files(folder.path()).remove(0)).unwrap();
        let day = Duration::from_secs(24 * 3600);
        for (days, expected) in [(29, Some(1.0)), (31, None)] {
            file.set_modified(SystemTime::now() - days * day).unwrap();
            assert_eq!(kept.read("latency", number), expected, "{days} days");
        }
        file.set_modified(SystemTime::now() + day).unwrap();
        assert_eq!(kept.read("latency", number), None, "of the future");
    }

    #[test]
    fn a_folder_that_cannot_be_written_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let kept = Kept::in_folder(file.join("below"), &report("1"));
        kept.write("latency", "1\n");
        assert_eq!(kept.read("latency", number), None);
    }

    #[test]
    fn a_test_keeps_nothing() {
        assert!(Kept::of_user(&report("1")).is_none());
    }
}
