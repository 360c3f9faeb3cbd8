//! `gittins plot`: the pictures of a study.

use std::fs;
use std::path::{Path, PathBuf};

use gittins::Domain;
use gittins::study::TrialState;
use picture::{Panel, Picture};
use serde_json::json;

use crate::code::{Code, DONE};
use crate::console::Console;
use crate::failure::{At, Result};
use crate::opened::Opened;
use crate::show::WHY;
use crate::stages;

/// Draw a study: the front of several objectives, the best outcome against the money, the verdict's statistic, parameters against
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
        if let Some(mut opened) = stages::Opened::there(&self.file)? {
            let (page, panels) = opened.pictures()?;
            return self.write(&opened.path, page, &panels, console);
        }
        let mut opened = Opened::there(&self.file)?;
        let (_, words) = opened.judged()?;
        let recommendation = opened.journal.recommendation()?;
        let has_front = opened.journal.study().objectives().len() > 0;
        let front = has_front.then(|| opened.journal.front()).transpose()?;
        let study = opened.journal.study();
        let record = study.record();
        let mut picture = Picture::new(&record).title(opened.journal.name()).verdict(words);
        picture =
            picture.limits(study.limits()).failures(study.history().iter().filter_map(|trial| {
                let lacks = matches!(trial.state, TrialState::Failed | TrialState::Infeasible);
                let why = opened.journal.notes(trial.id).remove(WHY);
                Some((trial.id.index(), why.filter(|_| lacks)?))
            }));
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
        self.write(&opened.path, picture.page(), &picture.panels(), console)
    }

    /// Writes the page, or each panel.
    fn write(
        &self,
        journal: &Path,
        page: String,
        panels: &[Panel],
        console: Console,
    ) -> Result<Code> {
        let mut written = Vec::new();
        if let Some(folder) = &self.svg {
            fs::create_dir_all(folder).at(folder.display())?;
            for panel in panels {
                written.push((folder.join(format!("{}.svg", panel.name())), panel.svg()));
            }
        } else {
            let path = self.out.clone().unwrap_or_else(|| journal.with_extension("html"));
            written.push((path, page));
        }
        for (path, text) in &written {
            fs::write(path, text).at(path.display())?;
        }
        let paths: Vec<String> =
            written.iter().map(|(path, _)| path.display().to_string()).collect();
        console.print(&json!({ "written": paths }), &paths.join("\n"))?;
        Ok(DONE)
    }
}
