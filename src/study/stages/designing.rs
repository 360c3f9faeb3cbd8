//! The design: trials that begin at quasi-random settings, before the index decides.

use super::stages_view::StagesView;
use crate::data::trial::trial::{TrialState, is_taken};
use crate::data::{Domain, PointCost};
use crate::math::points::is_same;
use crate::math::sobol::Sobol;
use crate::study::design::{AHEAD, Rows, balanced, chance, cheap};
use crate::surrogate::curves::scale::Scale;
use crate::surrogate::{Stream, seed};

/// So many reports are needed before the index decides.
const REPORTS: usize = 3;

/// Outcomes of the design are ties within this share of the model's unit, over the number of runs that
/// are to differ: where half of all settings end at chance, they teach one thing.
const TIE: f64 = 0.5;

/// The design has no more than this many times the runs that were wanted, if many are ties.
const TIES: usize = 4;

/// Quasi-random points that are tried for one that was not taken.
const DRAWS: usize = 256;

impl StagesView<'_> {
    /// Whether runs still begin at quasi-random settings: until enough of them differ, or until no
    /// other setting is left while some wait to be resumed.
    pub fn is_designing(self) -> bool {
        self.wants_others() && (self.last().next().is_none() || self.draw().is_some())
    }

    /// Whether too few runs differ.
    fn wants_others(self) -> bool {
        if self.knows_little() || self.runs().len() < self.design.size() {
            return true;
        }
        if self.staging.fit.is_some() || self.runs().len() >= TIES * self.design.size() {
            return false;
        }
        let mut last: Vec<f64> = self.last().collect();
        last.sort_by(f64::total_cmp);
        let unit = Scale::new(self.trials.trial_log.direction(), &last).unit;
        let tie = TIE / self.design.size() as f64 * unit.max(self.price_of_a_run());
        let (mut different, mut first) = (0, f64::NEG_INFINITY);
        for value in last {
            if value - first > tie {
                first = value;
                different += 1;
            }
        }
        different < self.design.size()
    }

    /// Whether too few reports are there for the index.
    pub fn knows_little(self) -> bool {
        self.staging.log.len() < REPORTS
    }

    /// What the whole of the middle run costs, in units of the outcome: a smaller difference is not
    /// worth a run. It is 0 without a price.
    pub fn price_of_a_run(self) -> f64 {
        let cost = self.staging.tariff.paid.middle(self.runs()).unwrap_or(0.0);
        self.lambda().map_or(0.0, |lambda| (lambda * cost).min(f64::MAX))
    }

    /// The last outcome of each run that reported.
    fn last(self) -> impl Iterator<Item = f64> {
        self.runs().iter().filter_map(|run| Some(run.reports.last()?.outcome))
    }

    /// The next of the points that come first; then a quasi-random point that was not taken, or any
    /// that is free if few are left; of a table the free row that covers as much. By a price list
    /// what costs more than most waits.
    pub fn draw(self) -> Option<Drawn> {
        let mut first = self.design.first().iter().skip(self.runs().len());
        if let Some(first) =
            first.find(|one| !is_taken(self.runs(), |run| is_same(&run.unit, &one.unit)))
        {
            return Some((first.unit.clone(), first.row));
        }
        let mut upcoming =
            (self.runs().len()..).take(DRAWS).filter_map(|index| self.drawn_at(index));
        let drawn = match &self.staging.tariff.listed {
            None => upcoming.next(),
            Some(listed) => {
                let upcoming: Vec<Drawn> = upcoming.take(AHEAD).collect();
                let cost = |(unit, _): &Drawn| listed.cost(unit, None).unwrap_or(f64::MAX).ln();
                let log_costs: Vec<f64> = upcoming.iter().map(cost).collect();
                cheap(upcoming, &log_costs)
            }
        };
        let Domain::Space(space) = &self.setup.domain else { return drawn };
        let is_free = |unit: &[f64]| !is_taken(self.runs(), |run| is_same(&run.unit, unit));
        drawn.or_else(|| space.view().one(is_free).map(|unit| (unit, None)))
    }

    /// The point of the quasi-random sequence at an index, or of a table the free row that covers as
    /// much; none if it is taken.
    fn drawn_at(self, index: usize) -> Option<Drawn> {
        let seed = seed(self.setup.seed, Stream::Design, 0);
        match &self.setup.domain {
            Domain::Space(space) => {
                let points = Sobol::new(self.setup.domain.dim(), seed).points(index, 1);
                let mut unit = space.view().uniform(points.row(0));
                space.snap(&mut unit);
                let is_free = !is_taken(self.runs(), |run| is_same(&run.unit, &unit));
                (space.admits(&unit) && is_free).then_some((unit, None))
            }
            Domain::Table(table) => {
                let rows = Rows::new(&self.setup.domain, table);
                let choices = rows.choices();
                let draw = balanced(&Sobol::new(choices.len(), seed), index, &choices);
                let mut taken = vec![false; table.len()];
                let runs = self.runs().iter().filter(|run| run.state != TrialState::Withdrawn);
                runs.filter_map(|run| run.row).for_each(|row| taken[row] = true);
                let row = rows.next(&draw, &taken, &mut chance(seed, index))?;
                Some((table.points().row(row).to_vec(), Some(row)))
            }
        }
    }
}

/// A point of the design, with its row if the domain is a table.
type Drawn = (Vec<f64>, Option<usize>);
