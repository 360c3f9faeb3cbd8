//! `gittins plot`: the pictures of a study.

use std::fs;
use std::path::PathBuf;

use gittins::journal::Journal;
use gittins::study::TrialState;
use gittins::{Domain, Trial};
use picture::{Panel, Picture, RunsPicture};
use serde_json::json;

use crate::findings::findings::why;
use crate::opened::Opened;
use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::{At, Result};
use crate::words::show::number_of;

/// Draw a study: the front of several objectives, the best outcome against the money, the verdict's statistic, mixtures, parameters against
/// outcomes, expected costs against those that were paid. One page of HTML that needs no network.
#[derive(Debug, clap::Args)]
pub struct Plot {
    /// A study.toml or a journal.
    file: PathBuf,
    /// The page; the name of the journal with the ending .html unless set.
    #[arg(long, value_name = "PAGE.html", conflicts_with = "svg")]
    out: Option<PathBuf>,
    /// Write each picture as an SVG file into this folder instead.
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
}

impl Plot {
    /// Draws them.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut opened = Opened::there(&self.file)?;
        let (_, words) = opened.judged()?;
        let (page, panels) = match opened.journal.study().stages() {
            Some(_) => of_runs(&opened.journal, words),
            None => of_trials(&mut opened.journal, words)?,
        };
        let mut written = Vec::new();
        if let Some(folder) = &self.svg {
            fs::create_dir_all(folder).at(folder.display())?;
            for panel in panels {
                written.push((folder.join(format!("{}.svg", panel.name())), panel.svg()));
            }
        } else {
            let path = self.out.clone().unwrap_or_else(|| opened.path.with_extension("html"));
            written.push((path, page));
        }
        for (path, text) in &written {
            fs::write(path, text).at(path.display())?;
        }
        let paths: Vec<String> =
            written.iter().map(|(path, _)| path.display().to_string()).collect();
        console.print(&json!({ "written": paths }), &paths.join("\n"))
    }
}

/// The trials that came to nothing, and why.
fn failures(journal: &Journal) -> impl Iterator<Item = (&Trial, String)> {
    let failed = |trial: &&Trial| trial.state != TrialState::Complete;
    let failed = journal.study().history().iter().filter(failed);
    failed.filter_map(|trial| Some((trial, why(journal, trial)?)))
}

/// The page and the panels of whole trials, with what the verdict says.
fn of_trials(journal: &mut Journal, words: String) -> Result<(String, Vec<Panel>)> {
    let recommendation = journal.recommendation()?;
    let has_front = journal.study().objectives().len() > 0;
    let front = has_front.then(|| journal.front()).transpose()?;
    let study = journal.study();
    let record = study.record();
    let failures = failures(journal).map(|(trial, why)| (trial.id.index(), why));
    let mut picture = Picture::new(&record).title(journal.name()).verdict(words);
    picture = picture.limits(study.limits()).failures(failures);
    if let Some(front) = &front {
        picture = picture.front(study.objectives(), front);
    }
    if let Some(unit) = study.cost_unit() {
        picture = picture.cost_unit(unit);
    }
    if let Domain::Space(space) = study.domain() {
        picture = picture.space(space);
    }
    if let Some(recommendation) = &recommendation {
        picture = picture.recommendation(recommendation);
    }
    Ok((picture.page(), picture.panels()))
}

/// The page and the panels of runs in stages, with what the verdict says.
fn of_runs(journal: &Journal, words: String) -> (String, Vec<Panel>) {
    let study = journal.study();
    let numbers = study.history().iter().map(|trial| number_of(journal, trial.id));
    let failures = failures(journal).map(|(trial, why)| (number_of(journal, trial.id), why));
    let mut picture = RunsPicture::new(study).title(journal.name()).verdict(words);
    picture = picture.numbers(numbers).failures(failures);
    if let Some(unit) = study.cost_unit() {
        picture = picture.cost_unit(unit);
    }
    (picture.page(), picture.panels())
}
