//! The trust region of a study: the trials that its model sees, and the box that is searched.

use std::cmp::Ordering;

use crate::data::trial::{Origin, TrialState};
use crate::data::{Observation, Observations, ParameterKind, Space, State};
use crate::error::Result;
use crate::math::decimal::decimal;
use crate::maximize::Bounds;
use crate::stop::StopContext;
use crate::study::books::Books;
use crate::study::design::usual_design;
use crate::study::schedule::{Event, Schedule};
use crate::study::trust_region::TrustRegion;
use crate::surrogate::{Setup, Surrogate};

/// The share of the trials that are nearest to the incumbent, if the region is elsewhere.
const OF_INCUMBENT: usize = 10;

/// The trials are chosen anew if they have grown by this share of their number, or if the center has
/// moved by this share of their radius.
const GROWTH: usize = 4;
const MOVED: f64 = 0.25;

/// The range of the lengthscales that shape a box (that of the paper's fits). An input that does not
/// matter has a lengthscale of any size, and would make the box thin along all others.
const LENGTHSCALES: (f64, f64) = (0.005, 2.0);

/// The trust region of a study.
#[derive(Debug)]
pub(super) struct Region {
    seen: usize,
    schedule: Schedule,
    corrections: usize,
    chosen: Option<Chosen>,
    /// The number of the region that has a box, and the trial at its center: its index among the
    /// observations.
    center: Option<(usize, usize)>,
    /// The index of the recommended trial among the observations.
    incumbent: Option<usize>,
}

/// The trials that the model sees.
#[derive(Debug)]
struct Chosen {
    /// The number of the region.
    number: usize,
    /// Their indices among all observations, in order.
    rows: Vec<usize>,
    observations: Observations,
    /// The trial around which they were chosen, and how far they reach, in these lengthscales.
    center: usize,
    radius: f64,
    lengthscales: Vec<f64>,
}

impl Region {
    /// The region of a study, if it may have one.
    ///
    /// # Errors
    /// Those of [`TrustRegion::over`].
    pub fn of(
        region: &TrustRegion,
        setup: &Setup,
        observations: &Observations,
    ) -> Result<Option<Self>> {
        let dim = setup.domain.dim();
        Ok(region.over(&setup.domain, setup.model.family())?.map(|after| Self {
            seen: region.seen(),
            schedule: Schedule::new(
                observations.direction(),
                dim,
                after,
                usual_design(dim, 1, None),
            ),
            corrections: 0,
            chosen: None,
            center: None,
            incumbent: None,
        }))
    }

    /// Takes what was told since.
    pub fn follow(&mut self, books: &Books) {
        let corrections = books.observations.corrections();
        if corrections != self.corrections {
            self.schedule.reset();
            (self.chosen, self.center, self.incumbent) = (None, None, None);
            self.corrections = corrections;
        }
        for index in self.schedule.told()..books.told.len() {
            let id = books.told[index].index();
            self.schedule.take(Event {
                outcome: books.observations.get(index).and_then(outcome),
                seen: books.notes[id].seen,
                told: books.notes[id].told.unwrap_or(books.tellings),
                suggested: books.trials[id].origin == Origin::Suggested,
            });
        }
    }

    /// The schedule after what was told.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number of the coming point that a new region begins with, the first being 1; none if no
    /// more are wanted.
    pub fn next_of_fresh(&self, books: &Books) -> Option<usize> {
        if self.schedule.number() == 0 {
            return None;
        }
        let own = books.trials.iter().zip(&books.notes).filter(|(trial, note)| {
            trial.origin == Origin::Suggested
                && trial.state != TrialState::Withdrawn
                && self.schedule.owns(note.seen)
        });
        let asked = own.count();
        self.schedule.wants_fresh(asked).then_some(asked + 1)
    }

    /// The observations that a model is fitted to.
    pub fn modeled<'a>(region: Option<&'a Self>, all: &'a Observations) -> &'a Observations {
        let chosen = region.and_then(|region| region.chosen.as_ref());
        chosen.map_or(all, |chosen| &chosen.observations)
    }

    /// The index among all observations of one of those that a model is fitted to.
    pub fn index_of(region: Option<&Self>, row: usize) -> usize {
        let chosen = region.and_then(|region| region.chosen.as_ref());
        chosen.map_or(row, |chosen| chosen.rows.get(row).copied().unwrap_or(row))
    }

    /// Chooses the trials that the next model sees. Returns whether they are those of another region
    /// than before, so that the model of before is no guide.
    pub fn choose(&mut self, all: &Observations, before: Option<&Surrogate>) -> bool {
        if !self.schedule.has_begun() || self.schedule.complete() <= self.seen {
            return self.chosen.take().is_some();
        }
        let Some((number, center)) = self.aim(all) else { return false };
        if let Some(chosen) = self.chosen.as_mut().filter(|chosen| chosen.number == number) {
            let told = all.len();
            let first = chosen.observations.told();
            chosen.rows.extend(first..told);
            let seen = |&&row: &&usize| all.get(row).is_some_and(is_complete);
            let count = chosen.rows.iter().filter(seen).count();
            let way = distance(all, center, chosen.center, &chosen.lengthscales);
            if count <= self.seen + self.seen / GROWTH && way <= MOVED * chosen.radius {
                chosen.observations = all.only(&chosen.rows);
                return false;
            }
        }
        let lengthscales = match before {
            Some(before) => shape(&before.posterior().hyperparameters().lengthscales),
            None => vec![1.0; all.dim()],
        };
        let incumbent = self.incumbent.or_else(|| all.best()).filter(|&trial| trial != center);
        let (rows, radius) = nearest(all, center, incumbent, self.seen, &lengthscales);
        let observations = all.only(&rows);
        let chosen = Chosen { number, rows, observations, center, radius, lengthscales };
        self.chosen.replace(chosen).is_none_or(|before| before.number != number)
    }

    /// The number of the region whose trials are wanted, and its center as far as it is known. A new
    /// region has a center once one of its trials is complete.
    fn aim(&self, all: &Observations) -> Option<(usize, usize)> {
        let number = self.schedule.number();
        match self.center {
            Some(center) if center.0 == number => Some(center),
            before => match self.schedule.best() {
                Some(best) => Some((number, best)),
                None => before.or_else(|| Some((number, all.best()?))),
            },
        }
    }

    /// The box after a fit to what was [chosen](Self::choose); none before the region has begun.
    pub fn frame(&mut self, space: &Space, books: &Books, surrogate: &Surrogate) -> Option<Bounds> {
        let recommended = Self::index_of(Some(self), surrogate.recommended());
        self.incumbent = Some(recommended);
        if !self.schedule.has_begun() {
            return None;
        }
        let own = |index: usize| self.schedule.owns(books.notes[books.told[index].index()].seen);
        let modeled = Self::modeled(Some(self), &books.observations);
        let complete =
            modeled.iter().enumerate().filter(|(_, observation)| is_complete(observation));
        let best = complete
            .map(|(row, _)| Self::index_of(Some(self), row))
            .zip(surrogate.posterior().means_at_data())
            .filter(|(index, _)| own(*index))
            .filter(|(index, _)| books.observations.get(*index).is_some_and(|at| at.holds))
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        self.center = match best {
            Some((index, _)) => Some((self.schedule.number(), index)),
            None => self.center.or(Some((self.schedule.number(), recommended))),
        };
        let (_, center) = self.center?;
        let lengthscales = shape(&surrogate.posterior().hyperparameters().lengthscales);
        let unit = &books.observations.get(center)?.point;
        around(space, unit, self.schedule.side(), &lengthscales)
    }

    /// The words about the region, if a rule asked its model.
    pub fn words_of(
        region: Option<&Self>,
        books: &Books,
        context: &StopContext<'_>,
    ) -> Option<String> {
        region.filter(|_| context.was_judged())?.words(books)
    }

    fn words(&self, books: &Books) -> Option<String> {
        let (_, center) = self.center.filter(|_| self.schedule.has_begun())?;
        let side = decimal(self.schedule.side(), 2);
        let of = match &self.chosen {
            Some(chosen) => format!(", by the {} trials nearest to it", chosen.observations.len()),
            None => String::new(),
        };
        Some(format!("judged in the region of side {side} around {}{of}", books.told[center]))
    }
}

fn is_complete(observation: &Observation) -> bool {
    observation.state == State::Complete
}

fn outcome(observation: &Observation) -> Option<f64> {
    observation.outcome.filter(|_| is_complete(observation) && observation.holds)
}

/// Lengthscales within the range that shapes a box.
fn shape(lengthscales: &[f64]) -> Vec<f64> {
    lengthscales.iter().map(|l| l.clamp(LENGTHSCALES.0, LENGTHSCALES.1)).collect()
}

/// The box of a side around a point.
fn around(space: &Space, unit: &[f64], side: f64, lengthscales: &[f64]) -> Option<Bounds> {
    let count = lengthscales.len() as f64;
    let mean = (lengthscales.iter().map(|l| l.ln()).sum::<f64>() / count).exp();
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for ((&u, l), parameter) in unit.iter().zip(lengthscales).zip(space.parameters()) {
        let half = 0.5 * side * l / mean;
        let (mut low, mut high) = ((u - half).max(0.0), (u + half).min(1.0));
        if let &ParameterKind::Int { low: first, high: last } = parameter.kind() {
            // From the middle of one cell to that of another.
            let cells = ParameterKind::cells(first, last);
            let own = (u * cells).floor();
            let cell = |u: f64| (u * cells).floor().clamp(0.0, cells - 1.0);
            low = (cell(low).min((own - 1.0).max(0.0)) + 0.5) / cells;
            high = (cell(high).max((own + 1.0).min(cells - 1.0)) + 0.5) / cells;
        }
        lower.push(low);
        upper.push(high);
    }
    Bounds::new(lower, upper).ok()
}

/// The distance of two observations in lengthscales.
fn distance(all: &Observations, a: usize, b: usize, lengthscales: &[f64]) -> f64 {
    let (Some(a), Some(b)) = (all.get(a), all.get(b)) else { return f64::INFINITY };
    let squares = a.point.iter().zip(&b.point).zip(lengthscales);
    squares.map(|((a, b), l)| ((a - b) / l).powi(2)).sum::<f64>().sqrt()
}

/// The `count` complete trials nearest to a center, and failed and infeasible ones that are as near
/// (at most as many); and how far they reach. If the incumbent is elsewhere, a share of them are
/// those nearest to it.
fn nearest(
    all: &Observations,
    center: usize,
    incumbent: Option<usize>,
    count: usize,
    lengthscales: &[f64],
) -> (Vec<usize>, f64) {
    let mut taken = vec![false; all.len()];
    let mut radius = 0.0;
    let shares = match incumbent {
        Some(incumbent) => {
            let few = (count / OF_INCUMBENT).max(1);
            vec![(incumbent, few), (center, count.saturating_sub(few).max(1))]
        }
        None => vec![(center, count)],
    };
    for (around, share) in shares {
        let far = |trial: usize| distance(all, trial, around, lengthscales);
        let mut complete: Vec<(f64, usize)> = Vec::new();
        let mut others = Vec::new();
        for (trial, observation) in all.iter().enumerate().filter(|(trial, _)| !taken[*trial]) {
            let list = if is_complete(observation) { &mut complete } else { &mut others };
            list.push((far(trial), trial));
        }
        keep_nearest(&mut complete, share);
        radius = complete.iter().map(|(far, _)| *far).fold(0.0, f64::max);
        others.retain(|(far, _)| *far <= radius);
        keep_nearest(&mut others, share);
        complete.iter().chain(&others).for_each(|(_, trial)| taken[*trial] = true);
    }
    ((0..all.len()).filter(|&trial| taken[trial]).collect(), radius)
}

fn keep_nearest(list: &mut Vec<(f64, usize)>, count: usize) {
    let order = |a: &(f64, usize), b: &(f64, usize)| -> Ordering {
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    };
    if list.len() > count {
        list.select_nth_unstable_by(count - 1, order);
        list.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Direction;
    use crate::study::{Study, TrustRegion};

    #[test]
    fn a_box_lies_in_the_cube_and_has_the_shape_of_the_lengthscales() {
        let space = Space::new().float("a", 0.0, 1.0).log_float("b", 1.0, 9.0).int("k", 1, 1000);
        let found = around(&space, &[0.5, 0.95, 0.5005], 0.2, &[0.25, 1.0, 0.5]).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(found.lower()[0], 0.45) && near(found.upper()[0], 0.55), "{found:?}");
        assert!(near(found.lower()[1], 0.75) && found.upper()[1] == 1.0, "{found:?}");
        // Bounds of a whole number are values.
        assert!(near(found.lower()[2], 0.4005) && near(found.upper()[2], 0.6005), "{found:?}");
        // The neighboring values are always inside, as far as there are any.
        let few = Space::new().int("k", 0, 9).int("l", 0, 9);
        let found = around(&few, &[0.55, 0.05], 0.01, &[1.0, 1.0]).unwrap();
        assert!(near(found.lower()[0], 0.45) && near(found.upper()[0], 0.65), "{found:?}");
        assert!(near(found.lower()[1], 0.05) && near(found.upper()[1], 0.15), "{found:?}");
        assert_eq!(shape(&[1e-9, 0.3, 1e9]), [0.005, 0.3, 2.0]);
    }

    #[test]
    fn the_nearest_trials_are_those_of_the_center_and_a_few_of_the_incumbent() {
        let mut all = Observations::new(1, Direction::Minimize);
        for i in 0..40 {
            let (state, outcome) = match i % 8 {
                7 => (State::Failed, None),
                _ => (State::Complete, Some(f64::from(i))),
            };
            all.push(&[f64::from(i) / 40.0], state, outcome, None).unwrap();
        }
        let (rows, radius) = nearest(&all, 20, None, 9, &[0.5]);
        // 15 and 23 failed, and are as near as 25.
        assert_eq!(rows, (15..=25).collect::<Vec<_>>());
        assert_eq!(radius, 0.25);
        let (rows, _) = nearest(&all, 20, Some(0), 10, &[0.5]);
        assert_eq!(rows[0], 0);
        assert_eq!(rows.iter().filter(|&&row| all.get(row).is_some_and(is_complete)).count(), 10);
        let view = all.only(&rows);
        assert_eq!((view.len(), view.told()), (rows.len(), 40));
        assert_eq!(view.get(1), all.get(rows[1]));
    }

    #[test]
    fn suggestions_lie_in_the_box_and_the_model_sees_the_nearest() {
        let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0).int("k", 0, 5000);
        let mut study = Study::minimize(space)
            .trust_region(TrustRegion::after(0).nearest(12))
            .search(crate::study::Search::new(32, 2))
            .build()
            .unwrap();
        let mut inside = 0;
        for trial in 0..70 {
            let ask = study.ask().unwrap();
            let unit = study.trials.books.trials[ask.id().index()].unit.clone();
            if matches!(ask.why(), crate::study::Why::Suggested(_)) {
                let bounds = study.setup.search.bounds.as_ref().unwrap();
                assert!(bounds.contains(&unit), "trial {trial}: {unit:?} in {bounds:?}");
                let widest = bounds.upper().iter().zip(bounds.lower()).map(|(a, b)| a - b);
                inside += usize::from(widest.fold(0.0, f64::max) < 0.99);
                assert!(
                    study.beliefs.modeled(&study.trials.books).len() <= 12 + 3,
                    "trial {trial}"
                );
            }
            let (x, y, k) = (ask.numbers()[0], ask.numbers()[1], ask.numbers()[2] / 5000.0);
            let outcome = (x - 0.3).powi(2) + (y - 0.8).powi(2) + (k - 0.1).powi(2);
            study.tell(ask.id(), crate::study::outcome::Outcome::new(outcome)).unwrap();
        }
        assert!(inside > 30, "{inside}");
        // The recommended trial is among those that the model sees, whichever region it is.
        let recommended = study.recommendation().unwrap().unwrap();
        let seen = study
            .beliefs
            .modeled(&study.trials.books)
            .iter()
            .any(|trial| trial.point == recommended.unit);
        assert!(seen && recommended.outcome < 0.02, "{recommended}");
    }
}
