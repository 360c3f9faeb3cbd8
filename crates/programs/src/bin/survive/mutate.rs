//! Files that were changed at random: each is read or refused.

use std::fs;
use std::path::Path;

use frontend::Result;
use gittins::journal::{Journal, StagedJournal};
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
    let mut journal = StagedJournal::open(path, staged::settings(0).initial(3))?;
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

/// Changes bytes, takes out and doubles parts, swaps lines.
fn mutate(bytes: &mut Vec<u8>, generator: &mut Pcg64) {
    let at = generator.random_range(0..bytes.len());
    let end = (at + generator.random_range(1..200)).min(bytes.len());
    match generator.random_range(0..6) {
        0 => bytes[at] = generator.random(),
        1 => bytes[at] = *b"{}[]\",:0123456789eE+-.nullNaN\n".get(at % 30).unwrap_or(&b'"'),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.insert(at, generator.random()),
        4 => {
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            let [one, other] = [(); 2].map(|()| generator.random_range(0..lines.len()));
            lines.swap(one, other);
            *bytes = lines.concat();
        }
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
    for _ in 0..count {
        let mut bytes = whole.clone();
        for _ in 0..generator.random_range(1..4) {
            if bytes.is_empty() {
                break;
            }
            mutate(&mut bytes, &mut generator);
        }
        fs::write(&path, &bytes)?;
        let opened = match stages {
            true => StagedJournal::open(&path, staged::settings(0).initial(3))
                .map(|mut journal| drop(journal.verdict())),
            false => Journal::open(&path, settings(0)).map(drop),
        };
        match opened {
            Ok(()) => read.whole += 1,
            Err(_) => read.refused += 1,
        }
        step();
    }
    fs::remove_file(&path)?;
    Ok(read)
}
