//! What the page says of an experiment, and of all.

use crate::experiment::Digest;
use crate::output::Summary;

/// An experiment with results.
pub struct Section {
    pub summary: Summary,
    /// The usual number of its seeds.
    pub usual: u64,
    pub digest: Digest,
}

/// The totals over all experiments.
pub struct Totals {
    pub compared: usize,
    pub agreeing: usize,
    pub claims: usize,
    pub holding: usize,
}

impl Totals {
    /// The totals of these sections.
    pub fn of(sections: &[Section]) -> Self {
        let summaries = || sections.iter().map(|section| &section.summary);
        let claims = || {
            summaries().flat_map(|summary| &summary.claims).filter(|claim| claim.holds.is_some())
        };
        Self {
            compared: summaries().map(|summary| summary.compared).sum(),
            agreeing: summaries().map(|summary| summary.agreeing).sum(),
            claims: claims().count(),
            holding: claims().filter(|claim| claim.holds == Some(true)).count(),
        }
    }
}
