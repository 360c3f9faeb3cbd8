//! A run entered again from its record, to go on where it stood.

use std::collections::HashMap;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::study::{Origin, Outcome, RowPoint, TrialId, TrialState};
use crate::subsets::builder::SubsetStudyBuilder;
use crate::subsets::record::{Chosen, SubsetPoint, SubsetRecord, SubsetRow};
use crate::subsets::sets::ControlSet;
use crate::subsets::study::SubsetStudy;
use crate::subsets::trial::SubsetTrial;

impl SubsetStudyBuilder {
    /// Starts a study where a recorded one stood: the trials, what was told of them, the money, the
    /// exploration of cheap sets, the models that the record names and the ends of the last
    /// searches. With the settings of the recorded study it then asks for the same as that one, to
    /// the bit, if the last decision was asked for. The record does not have decisions that were
    /// made for a verdict alone, nor models that left it because something was corrected. These are
    /// made anew, and may end a little elsewhere.
    ///
    /// # Errors
    /// Those of [`build`](Self::build). If the record is not one of this study, naming the trial:
    /// `InvalidSetting` for another direction and for another set, `UnknownParameter` for other
    /// variables, and those of [`SubsetStudy::tell`] for points and numbers.
    pub fn resume(self, record: &SubsetRecord) -> Result<SubsetStudy> {
        let mut study = self.build()?;
        let direction = study.books.direction();
        if let Some(other) = record.direction().filter(|&other| other != direction) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("the record is to {other}, and the study to {direction}"),
            ));
        }
        let at = |row: &SubsetRow, error: Error| {
            error.at(format_args!("trial {} of the record", row.trial))
        };
        // The models behind the decisions, by how much had been told.
        let chosen = |row: &'_ SubsetRow| Some((row.seen, row.suggestion.clone()?));
        let models: HashMap<usize, Chosen> = record.rows().iter().filter_map(chosen).collect();
        let mut rows = record.rows().iter().peekable();
        for (place, told) in record.in_order_of_telling().into_iter().enumerate() {
            while let Some(row) = rows.next_if(|row| row.seen <= place) {
                study.reenter(row).map_err(|error| at(row, error))?;
            }
            study.retell(told).map_err(|error| at(told, error))?;
            match models.get(&(place + 1)) {
                Some(chosen) if chosen.outcome_model.is_some() => study.adopt(chosen),
                Some(_) => study.refit(),
                None => Ok(()),
            }
            .map_err(|error| at(told, error))?;
        }
        for row in rows {
            study.reenter(row).map_err(|error| at(row, error))?;
        }
        Ok(study)
    }
}

impl SubsetStudy {
    /// Enters a trial as the record has it, in place of asking for one. A trial that was withdrawn
    /// is withdrawn from the start. An imported trial counts as withdrawn until it is told.
    fn reenter(&mut self, row: &SubsetRow) -> Result<()> {
        let SubsetPoint { chosen, query, .. } = &row.point;
        if !row.point.names().eq(self.names.iter()) {
            let message = format!(
                "its variables {:?} are not those of the study, {:?}",
                row.point.names().collect::<Vec<_>>(),
                self.names
            );
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        let id = self.books.next_id();
        if row.origin == Origin::Imported {
            self.books.add(SubsetTrial::imported(id, TrialState::Withdrawn));
            return Ok(());
        }
        let set = self.set_of(&row.point)?;
        self.purse.pay(self.sets.sets()[set].cost);
        let chosen = chosen.iter().map(|(_, value)| *value).collect();
        self.books.add(SubsetTrial::played(id, set, chosen, query.clone(), row.origin));
        if let Some(suggestion) = &row.suggestion {
            self.take_up(id, suggestion)?;
        }
        if row.state == TrialState::Withdrawn {
            self.withdraw(id)?;
        }
        Ok(())
    }

    /// The place of the set that a point played.
    fn set_of(&self, point: &SubsetPoint) -> Result<usize> {
        let names = |controlled: &[usize]| -> Vec<&str> {
            controlled.iter().map(|&k| self.names[k].as_str()).collect()
        };
        let played: Vec<&str> = point.chosen.iter().map(|(name, _)| name.as_str()).collect();
        let same = |set: &ControlSet| {
            point.set.as_ref() == Some(&set.name)
                && point.price == Some(set.cost)
                && names(&set.controlled) == played
        };
        let known = self.sets.sets().iter().position(same);
        known.filter(|_| point.query.iter().all(|u| (0.0..=1.0).contains(u))).ok_or_else(|| {
            let message = format!(
                "it played {:?} at {:?} with {:?} at {:?}, which no control set of the study allows",
                point.set.as_deref().unwrap_or(""),
                point.price.unwrap_or(f64::NAN),
                played,
                point.query
            );
            Error::new(ErrorKind::InvalidSetting, message)
        })
    }

    /// Takes up what a decision left behind: the play of a group that is explored, and the ends of
    /// the searches.
    fn take_up(&mut self, id: TrialId, suggestion: &Chosen) -> Result<()> {
        if let (Some((cost, _)), Some(exploration)) = (suggestion.exploring, &mut self.exploration)
        {
            self.explored.push((id, cost));
            exploration.use_up(cost);
        }
        if suggestion.ends.is_empty() {
            return Ok(());
        }
        let width =
            |(ends, hints): (&Vec<f64>, &Points)| ends.is_empty() || ends.len() == hints.dim();
        let fits = suggestion.ends.len() == self.hints.len()
            && suggestion.ends.iter().zip(&self.hints).all(width);
        if !fits {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "the ends of its searches {:?} are not queries of the sets",
                    suggestion.ends
                ),
            ));
        }
        for (end, hints) in suggestion.ends.iter().zip(&mut self.hints) {
            *hints = Points::from_rows(hints.dim(), end.clone())?;
        }
        Ok(())
    }

    /// Tells a trial as the record has it.
    fn retell(&mut self, row: &SubsetRow) -> Result<()> {
        let outcome = Outcome::recorded(row.state.told()?, row.outcome, row.cost);
        self.tell(row.trial, &row.point.full().unwrap_or_default(), outcome)
    }
}
