//! When a study ends, and what is said of it.

use gittins::journal::Journal;
use gittins::{Study, Verdict};

use crate::file::Limits;
use crate::findings::findings::incumbent;
use crate::findings::tally::Tally;
use crate::words::code::{Code, DONE};
use crate::words::failure::Result;
use crate::words::show;

/// The exit code of a run whose trials all failed.
pub const FAILED: u8 = 1;

/// The exit code of a run that somebody stopped, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Why a run ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// Another trial is not worth its price.
    Verdict(String),
    /// So many trials were made.
    Trials(usize),
    /// So much was spent.
    Cost(String),
    /// An outcome is good enough.
    Target(String),
    /// Every setting was tried.
    Exhausted,
    /// So many trials failed, and none succeeded.
    Failing(String),
    /// Somebody stopped it.
    Interrupted,
}

impl Ending {
    /// The exit code of a run that ended so.
    pub fn exit_code(&self) -> Code {
        match self {
            Self::Interrupted => INTERRUPTED,
            Self::Failing(_) => FAILED,
            _ => DONE,
        }
    }

    /// Its name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Verdict(_) => "verdict",
            Self::Trials(_) => "trials",
            Self::Cost(_) => "cost",
            Self::Target(_) => "target",
            Self::Exhausted => "exhausted",
            Self::Failing(_) => "failing",
            Self::Interrupted => "interrupted",
        }
    }

    /// What it is, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Verdict(words) | Self::Failing(words) => words.clone(),
            Self::Trials(count) => format!("stop: the limit of {count} trials is reached"),
            Self::Cost(words) | Self::Target(words) => format!("stop: {words}"),
            Self::Exhausted => "stop: every setting was tried".to_owned(),
            Self::Interrupted => "interrupted".to_owned(),
        }
    }
}

/// The limit that is reached, if one is.
pub fn limit(study: &Study, limits: &Limits, unit: Option<&str>) -> Option<Ending> {
    let Tally { spent, begun, .. } = Tally::of(study);
    if let (Some(target), Some(best)) = (limits.target, incumbent(study)) {
        let reached = if limits.maximizes { best >= target } else { best <= target };
        if reached {
            let [best, target] = [best, target].map(show::number);
            return Some(Ending::Target(format!("{best} is as good as the target, {target}")));
        }
    }
    if let Some(most) = limits.cost
        && spent >= most
    {
        let [spent, most] = [spent, most].map(|cost| show::money(cost, unit));
        return Some(Ending::Cost(format!("{spent} were spent of {most}")));
    }
    limits.trials.filter(|&most| begun >= most).map(Ending::Trials)
}

/// Whether the study ends, and why; its verdict if it does not.
pub fn ending(
    journal: &mut Journal,
    limits: &Limits,
    unit: Option<&str>,
) -> Result<std::result::Result<Ending, Verdict>> {
    if let Some(ending) = limit(journal.study(), limits, unit) {
        return Ok(Ok(ending));
    }
    let verdict = journal.verdict()?;
    Ok(if verdict.is_stop() {
        Ok(Ending::Verdict(verdict.reason().to_string()))
    } else {
        Err(verdict)
    })
}
