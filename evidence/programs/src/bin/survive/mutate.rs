//! Files that were changed at random: each is read or refused.

use std::fs;
use std::path::Path;

use frontend::Result;
use gittins::journal::Journal;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::staged;
use crate::worker::{outcome, settings};

/// What became of the files.
#[derive(Default)]
pub struct Read {
    pub whole: usize,
    pub refused: usize,
}

/// A short study in stages as a file.
fn staged_sample(path: &Path) -> Result<Vec<u8>> {
    let mut journal = Journal::open(path, staged::settings(0).initial(3))?;
    for _ in 0..9 {
        let ask = journal.ask()?;
        let (value, epoch) = staged::outcome(ask.values(), ask.until());
        journal.report(ask.id(), ask.until(), value, epoch * ask.until())?;
        journal.verdict()?;
    }
    Ok(fs::read(path)?)
}

/// A short run as a file.
fn sample(path: &Path) -> Result<Vec<u8>> {
    let mut journal = Journal::open(path, settings(0))?;
    for _ in 0..5 {
        let ask = journal.ask()?;
        journal.tell(ask.id(), outcome(ask.numbers()))?;
        journal.verdict()?;
    }
    Ok(fs::read(path)?)
}

/// What an editor or a file system leaves: blanks, zeros, and ends of lines among them.
fn blank(generator: &mut Pcg64) -> Vec<u8> {
    let count = generator.random_range(1..40);
    let zeros = generator.random_bool(0.5);
    let byte = |place: usize| if zeros { 0 } else { b" \n\t\r"[(place * 7 + count) % 4] };
    let mut bytes: Vec<u8> = (0..count).map(byte).collect();
    if generator.random_bool(0.5) {
        bytes.push(b'\n');
    }
    bytes
}

/// The places of the ends of lines.
fn ends(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&place| bytes[place] == b'\n').collect()
}

/// Puts blanks and zeros behind the last line, in place of its end, or between two lines. Nothing
/// of a study is lost by it.
fn blot(bytes: &mut Vec<u8>, generator: &mut Pcg64) {
    let blank = blank(generator);
    let ends = ends(bytes);
    let end = ends[generator.random_range(0..ends.len())];
    match generator.random_range(0..4) {
        0 => bytes.extend(blank),
        1 => {
            bytes.pop();
            bytes.extend(std::iter::repeat_n(0, blank.len()));
        }
        2 => drop(bytes.splice((end + 1)..=end, blank)),
        _ => drop(bytes.splice(end..=end, std::iter::repeat_n(0, blank.len()))),
    }
}

/// Changes bytes, takes out and doubles parts, swaps lines, takes one out, and leaves blanks and
/// zeros.
fn mutate(bytes: &mut Vec<u8>, generator: &mut Pcg64) {
    let at = generator.random_range(0..bytes.len());
    let end = (at + generator.random_range(1..200)).min(bytes.len());
    match generator.random_range(0..9) {
        0 => bytes[at] = generator.random(),
        1 => bytes[at] = *b"{}[]\",:0123456789eE+-.nullNaN\n".get(at % 30).unwrap_or(&b'"'),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.insert(at, generator.random()),
        4 => {
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        5 => {
            bytes.truncate(at.max(1));
            bytes.extend(blank(generator));
        }
        6 => drop(bytes.splice(at..at, blank(generator))),
        7 => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            lines.remove(generator.random_range(0..lines.len()));
            *bytes = lines.concat();
        }
        _ => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            let [one, other] = [(); 2].map(|()| generator.random_range(0..lines.len()));
            lines.swap(one, other);
            *bytes = lines.concat();
        }
    }
}

/// Opens a file that has lost nothing, and writes to it. All trials are there, and each line is one
/// that Optuna reads.
fn goes_on(path: &Path) -> gittins::Result<()> {
    let mut journal = Journal::open(path, settings(0))?;
    let ask = journal.ask()?;
    journal.tell(ask.id(), outcome(ask.numbers()))?;
    assert_eq!(journal.study().history().len(), 6, "a trial is lost");
    assert_eq!(journal.missing(), None);
    all_lines_are_json(path);
    Journal::open(path, settings(0)).map(drop)
}

/// The same of a study in stages.
fn goes_on_in_stages(path: &Path) -> gittins::Result<()> {
    let open = || Journal::open(path, staged::settings(0).initial(3));
    let mut journal = open()?;
    let ask = journal.ask()?;
    let (value, epoch) = staged::outcome(ask.values(), ask.until());
    journal.report(ask.id(), ask.until(), value, epoch * ask.until())?;
    let reports = |journal: &Journal| -> usize {
        journal.study().history().iter().map(|run| run.reports.len()).sum()
    };
    assert_eq!(reports(&journal), 10, "a report is lost");
    all_lines_are_json(path);
    open().map(drop)
}

fn all_lines_are_json(path: &Path) {
    let text = fs::read_to_string(path).unwrap_or_default();
    for line in text.lines() {
        let read = serde_json::from_str::<serde_json::Value>(line);
        assert!(read.is_ok(), "a line stays that Optuna does not read: {line:?}");
    }
}

/// Opens so many changed files in a folder, and asks what is read for a verdict. A panic ends the
/// program.
pub fn read(
    folder: &Path,
    (count, seed, stages): (usize, u64, bool),
    mut step: impl FnMut(),
) -> Result<Read> {
    let mut generator = Pcg64::seed_from_u64(seed);
    let path = folder.join("changed.log");
    let whole = if stages { staged_sample(&path) } else { sample(&path) }?;
    let mut read = Read::default();
    for number in 0..count {
        let mut bytes = whole.clone();
        // Each fourth file has lost nothing.
        let is_whole = number % 4 == 0;
        if is_whole {
            blot(&mut bytes, &mut generator);
        }
        for _ in 0..generator.random_range(1..4) {
            if is_whole || bytes.is_empty() {
                break;
            }
            mutate(&mut bytes, &mut generator);
        }
        fs::write(&path, &bytes)?;
        let opened = match (stages, is_whole) {
            (true, true) => goes_on_in_stages(&path),
            (false, true) => goes_on(&path),
            (true, false) => Journal::open(&path, staged::settings(0).initial(3))
                .map(|mut journal| drop(journal.verdict())),
            (false, false) => Journal::open(&path, settings(0)).map(drop),
        };
        match opened {
            Ok(()) => read.whole += 1,
            Err(error) if is_whole => {
                let place = format!("file {number} of seed {seed}: {error}");
                return Err(std::io::Error::other(place).into());
            }
            Err(_) => read.refused += 1,
        }
        step();
    }
    fs::remove_file(&path)?;
    Ok(read)
}
