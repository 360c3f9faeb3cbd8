//! Asking within a part of the space, and trials that others chose.

use std::mem;

use crate::data::{Condition, Domain, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::study::ask::Ask;
use crate::study::design::exhausted;
use crate::study::study::Study;
use crate::study::trial::TrialId;
use crate::suggest::Round;

impl Study {
    /// The next point among those at which these conditions hold: parameters that are fixed, bounds
    /// that are narrower for once. A condition is on one parameter. A value
    /// ([`Requirement::Is`](crate::data::Requirement::Is)) implies that the parameter exists, and so
    /// all the conditions under which it does. A bound counts if the parameter exists. The point is
    /// the best of this part of the space by the model of the whole, in which trials elsewhere count
    /// too. Without conditions this is [`ask`](Self::ask).
    ///
    /// ```
    /// use gittins::data::{Condition, Requirement};
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0).choice("solver", ["adam", "sgd"]);
    /// let mut study = Study::minimize(space).build()?;
    /// let sgd = Condition {
    ///     parameter: "solver".to_owned(),
    ///     requirement: Requirement::Is(vec!["sgd".into()]),
    /// };
    /// let low = Condition { parameter: "x".to_owned(), requirement: Requirement::AtMost(0.2) };
    /// for _ in 0..6 {
    ///     let ask = study.ask_where(&[sgd.clone(), low.clone()])?;
    ///     let x: f64 = ask.get("x")?;
    ///     assert!(ask.choice("solver")? == "sgd" && x <= 0.2 + 1e-15);
    ///     study.tell(ask.id(), Outcome::new(x * x))?;
    /// }
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidSetting` for a table; `UnknownParameter`, `InvalidSetting` and `OutOfBounds` for
    /// conditions that name no parameter, make no sense for one, leave it no value or contradict
    /// each other, naming it; those of [`ask`](Self::ask). The study stays as it was.
    pub fn ask_where(&mut self, conditions: &[Condition]) -> Result<Ask> {
        if conditions.is_empty() {
            return self.ask();
        }
        let Domain::Space(space) = &self.setup.domain else {
            let message =
                "conditions are for spaces: a table has rows, of which any may be left out";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        };
        let part = space.part(conditions)?;
        // The fit is one of the whole space.
        if !self.books.observations.is_empty() {
            self.refit(self.setup.deadline())?;
        }
        let mut setup = self.setup.clone();
        setup.search = setup.search.over(&part);
        setup.trees = setup.trees.over(&part);
        setup.domain = part.into();
        let whole = mem::replace(&mut self.setup, setup);
        // What was found in the whole space says nothing of the part.
        let memo = mem::take(&mut self.memo);
        let asked = self.ask_in(&mut Round::one(), None);
        (self.setup, self.memo) = (whole, memo);
        asked?.ok_or_else(exhausted)
    }

    /// Enters a trial that somebody else chose and runs, so that its point is not suggested again
    /// and is waited for like one that was asked for. It is told, or
    /// [withdrawn](Self::withdraw), by the identifier that this returns, and counts as imported.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter; for a table
    /// also those of values that no row has.
    pub fn announce<V: Into<Value> + Clone>(&mut self, values: &[V]) -> Result<TrialId> {
        let (unit, row, _) = self.point_of(values)?;
        Ok(self.reserve(unit, row))
    }
}
