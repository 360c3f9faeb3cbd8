//! A study of control sets that goes on from a record.

use crate::data::{Direction, TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::study::Reentered;
use crate::subsets::applying::values_of;
use crate::subsets::builder::SubsetStudyBuilder;
use crate::subsets::event::SubsetAsked;
use crate::subsets::record::{Chosen, SubsetPoint, SubsetRecord, SubsetRow};
use crate::subsets::sets::ControlSet;
use crate::subsets::study::SubsetStudy;

impl SubsetStudyBuilder {
    /// A study that goes on where a recorded one stood, with these settings: all trials, what was
    /// told of them, what they cost, and the suggestions with their models, the ends of their
    /// searches and their share of the exploration. It has [events](SubsetStudy::events) like any
    /// other.
    ///
    /// With the settings of the recorded study, on the same machine and with the backend
    /// [`Cpu`](crate::Cpu), it asks for the same as that one, to the bit, up to a hundred
    /// observations, unless something counts that no record has:
    ///
    /// - models that left the record because something was corrected or taken back, and those
    ///   behind verdicts and advice. They are fitted anew, and may end a little elsewhere;
    /// - verdicts, and decisions that were made for them and not asked for.
    ///
    /// [`resume`](Self::resume) keeps all of that.
    ///
    /// # Errors
    /// Those of [`build`](Self::build). If the record is not one of this study, naming the trial:
    /// `InvalidSetting` for another direction and for another set, `UnknownParameter` for other
    /// variables, and those of [`SubsetStudy::tell`] for points and numbers.
    pub fn continue_from(self, record: &SubsetRecord) -> Result<SubsetStudy> {
        self.build()?.after_record(record)
    }
}

impl Reentered for SubsetStudy {
    type Point = SubsetPoint;
    type Suggestion = Chosen;
    const IS_TOLD_PLACE: bool = true;

    fn next_id(&self) -> TrialId {
        self.books.next_id()
    }

    fn to(&self) -> Direction {
        self.books.direction()
    }

    fn named(&self) -> &[String] {
        &self.names
    }

    fn learns_costs(&self) -> bool {
        false
    }

    fn asked(&mut self, row: &SubsetRow) -> Result<SubsetAsked> {
        Ok(SubsetAsked {
            origin: row.origin,
            set: self.set_of(&row.point)?,
            query: row.point.query.clone(),
            suggestion: row.suggestion.clone().map(Box::new),
            seconds: row.seconds.search,
        })
    }

    fn place(&self, point: &SubsetPoint) -> Result<Vec<Value>> {
        Ok(values_of(&point.full().unwrap_or_default()))
    }

    fn believe(&mut self, suggestion: &Chosen) -> Result<()> {
        if suggestion.outcome_model.is_none() { self.refit() } else { self.adopt(suggestion) }
    }
}

impl SubsetStudy {
    /// The place of the set that a point played.
    fn set_of(&self, point: &SubsetPoint) -> Result<usize> {
        let played: Vec<&str> = point.chosen.iter().map(|(name, _)| name.as_str()).collect();
        let same = |set: &ControlSet| {
            point.set.as_ref() == Some(&set.name)
                && point.price == Some(set.cost)
                && set.controlled.iter().map(|&k| self.names[k].as_str()).eq(played.iter().copied())
        };
        self.sets.sets().iter().position(same).ok_or_else(|| {
            let message = format!(
                "it played {:?} at {:?} with {:?}, which no control set of the study allows",
                point.set.as_deref().unwrap_or(""),
                point.price.unwrap_or(f64::NAN),
                played
            );
            Error::new(ErrorKind::InvalidSetting, message)
        })
    }
}
