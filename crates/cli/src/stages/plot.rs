//! `gittins plot` of runs in stages.

use picture::RunsPicture;

use super::opened::Opened;
use crate::failure::Result;

impl Opened {
    /// The pictures: a page, and each panel with its name.
    ///
    /// # Errors
    /// Those of the verdict.
    pub fn pictures(&mut self) -> Result<(String, Vec<picture::Panel>)> {
        let (_, words) = self.judged()?;
        let numbers: Vec<usize> =
            self.journal.study().runs().iter().map(|run| self.number(run)).collect();
        let mut picture = RunsPicture::new(self.journal.study())
            .title(self.journal.name())
            .verdict(words)
            .numbers(numbers);
        if let Some(unit) = self.unit() {
            picture = picture.cost_unit(unit);
        }
        Ok((picture.page(), picture.panels()))
    }
}
