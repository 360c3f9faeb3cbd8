//! What is told and drawn of a run whose result is a front.

use std::path::Path;

use gittins::{Study, Trial};
use picture::{FrontPicture, FrontTrial, Goal, Standing};

use crate::Result;
use crate::run::write_picture;

/// The sides of the picture of a front.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The first objective beside the outcome, across.
    pub x: &'a str,
    /// The outcome, upward.
    pub y: &'a str,
    /// What is said of trials that break a limit.
    pub breaks: &'a str,
}

/// The trials on the front, those with the smallest outcomes first.
///
/// # Errors
/// Those of the model.
pub fn sorted(study: &mut Study) -> Result<Vec<Trial>> {
    let mut front = study.front()?;
    front.sort_by(|one, other| outcome(one).total_cmp(&outcome(other)));
    Ok(front)
}

fn outcome(trial: &Trial) -> f64 {
    trial.outcome.unwrap_or(f64::NAN)
}

/// Whether a trial breaks a limit.
pub fn breaks(study: &Study, trial: &Trial) -> bool {
    study.limits().any(|(name, limit)| {
        trial.measured.get(name).is_some_and(|number| limit.slack(number) < 0.0)
    })
}

/// Draws all trials of a study and its front.
///
/// # Errors
/// If the file cannot be written.
pub fn draw(path: &Path, study: &Study, front: &[Trial], sides: Sides<'_>) -> Result<()> {
    let Some((other, objective)) = study.objectives().next() else { return Ok(()) };
    let one = |trial: &Trial| FrontTrial {
        at: (trial.measured.get(other).unwrap_or(f64::NAN), outcome(trial)),
        standing: match trial {
            trial if front.iter().any(|on| on.id == trial.id) => Standing::OnFront,
            trial if breaks(study, trial) => Standing::Breaks,
            _ => Standing::Dominated,
        },
        words: trial.id.to_string(),
    };
    let picture = FrontPicture {
        title: sides.title,
        x: Goal { name: sides.x.to_owned(), direction: objective.direction() },
        y: Goal { name: sides.y.to_owned(), direction: study.direction() },
        breaks: sides.breaks,
        trials: study.history().iter().map(one).collect(),
    };
    write_picture(path, [picture.panel((672.0, 420.0), true)])
}
