//! A study in a file as any other.

use std::collections::BTreeMap;

use crate::data::trial::Trial;
use crate::data::{TrialId, Value};
use crate::error::Result;
use crate::journal::journal::Journal;
use crate::stop::Verdict;
use crate::study::{
    Ask, AskTell, Choice, Forecast, Outcome, Recommendation, Request, Study, by_its_own,
};
use crate::suggest::Policy;

by_its_own!(Journal {
    fn study(&self) -> &Study {
        Self::study(self)
    }

    fn sync(&mut self) -> Result<()> {
        Self::sync(self)
    }

    fn left_out(&self) -> BTreeMap<usize, String> {
        Self::left_out(self).clone()
    }

    fn missing(&self) -> Option<String> {
        Self::missing(self)
    }
});
