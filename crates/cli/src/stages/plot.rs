//! `gittins plot` of runs in stages.

use picture::RunsPicture;

use super::opened::Opened;
use super::report::why;
use crate::failure::Result;

impl Opened {
    /// The pictures: a page, and each panel with its name.
    ///
    /// # Errors
    /// Those of the verdict.
    pub fn pictures(&mut self) -> Result<(String, Vec<picture::Panel>)> {
        let (_, words) = self.judged()?;
        let numbers: Vec<usize> =
            self.journal.study().history().iter().map(|run| self.number(run)).collect();
        let runs = self.journal.study().history().iter();
        let why = |run| Some((self.number(run), why(&self.journal, &self.folders, run)?));
        let mut picture = RunsPicture::new(self.journal.study())
            .title(self.journal.name())
            .verdict(words)
            .numbers(numbers)
            .failures(runs.filter_map(why));
        if let Some(unit) = self.unit() {
            picture = picture.cost_unit(unit);
        }
        Ok((picture.page(), picture.panels()))
    }
}
