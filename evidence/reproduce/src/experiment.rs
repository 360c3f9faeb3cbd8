//! An experiment: tasks that can be run alone, and the digest of their results.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gittins::Backend;
use serde::Serialize;
use serde_json::Value;

use crate::comparison::Cell;
use crate::slug::slug;
use crate::store::Store;
use frontend::Result;

/// One experiment: a figure or a table of a paper.
pub trait Experiment: Sync {
    /// The word on the command line.
    fn name(&self) -> &'static str;

    /// A description of one line.
    fn title(&self) -> String;

    /// The usual number of seeds.
    fn seeds(&self) -> u64;

    /// Whether it reads published data that are no part of this project.
    fn reads_data(&self) -> bool {
        false
    }

    /// The races that can be run alone, with the methods of each; none if the experiment cannot be
    /// divided.
    fn races(&self) -> Vec<Entries> {
        Vec::new()
    }

    /// The experiment with one of its races, or with one method, alone; none if it has no such
    /// part. What needs other races or methods is left out of its digest.
    fn part(&self, _part: &Part) -> Option<Box<dyn Experiment>> {
        None
    }

    /// All tasks of the experiment.
    fn tasks(&self, size: &Size) -> Vec<Task>;

    /// The digest of the results. Those of all tasks are in the store.
    ///
    /// # Errors
    /// If a result is missing or cannot be read.
    fn digest(&self, size: &Size, store: &Store) -> Result<Digest>;
}

/// A race and its methods, by the names that choose them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entries {
    pub race: String,
    pub methods: Vec<String>,
}

/// A part of an experiment, by the names of [`Entries`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// One race; all unless set.
    pub race: Option<String>,
    /// One method; all unless set.
    pub method: Option<String>,
}

impl Part {
    /// Whether it is the whole experiment.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it has this race.
    pub fn has_race(&self, race: &str) -> bool {
        self.race.as_ref().is_none_or(|chosen| *chosen == slug(race))
    }

    /// Whether it has this method.
    pub fn has_method(&self, method: &str) -> bool {
        self.method.as_ref().is_none_or(|chosen| *chosen == slug(method))
    }
}

/// The extent of a run, and the backend.
#[derive(Clone)]
pub struct Size {
    /// The seeds to run; the experiment's own number of them, from 0 on, unless set.
    pub seeds: Option<Range<u64>>,
    /// Two seeds and a tenth of the budget, or less if an experiment says so.
    pub quick: bool,
    /// The backend that evaluates batches.
    pub backend: Arc<dyn Backend>,
    /// The folder of published data, if there is one.
    pub data: Option<Arc<Path>>,
    /// The part of each experiment that is run.
    pub part: Part,
}

impl Size {
    /// The seeds to run, if an experiment usually has `usual` of them.
    pub fn seeds(&self, usual: u64) -> Range<u64> {
        self.seeds.clone().unwrap_or(0..if self.quick { usual.min(2) } else { usual })
    }

    /// The part of a budget that is spent.
    pub fn money(&self, whole: f64) -> f64 {
        if self.quick { 0.1 * whole } else { whole }
    }

    /// The part of a number of evaluations that is made.
    pub fn part(&self, whole: usize) -> usize {
        if self.quick { whole.div_ceil(10) } else { whole }
    }
}

/// A piece of work. Its result depends only on its name and its seed.
#[derive(Clone)]
pub struct Task {
    /// Everything that decides the result except the seed, in letters fit for a file.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// The work.
    pub work: Arc<Work>,
    /// Measures the seconds that it will take, if that is worth knowing. They are the same for all
    /// seeds of an arm.
    pub probe: Option<Arc<Probe>>,
}

/// Makes the result of a task.
pub type Work = dyn Fn() -> Result<Value> + Send + Sync;
/// Seconds that a task will take on one thread.
pub type Probe = dyn Fn() -> Result<f64> + Send + Sync;

/// The digest of an experiment's results.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Digest {
    /// Pictures, with the numbers behind them.
    pub panels: Vec<Panel>,
    /// The claims that a reader should learn, tested on these results.
    pub claims: Vec<Claim>,
    /// Remarks for the report.
    pub notes: Vec<String>,
}

/// One panel of a figure.
#[derive(Debug, Clone, Serialize)]
pub struct Panel {
    /// The name in letters fit for a file.
    pub name: String,
    /// The title above the picture.
    pub title: String,
    /// What is drawn.
    pub drawing: Drawing,
    /// Our numbers beside the published ones.
    pub cells: Vec<Cell>,
}

/// What is drawn in a panel.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Drawing {
    /// Lines with bands.
    Curves { axes: Axes, curves: Vec<Curve> },
    /// Groups of bars with errors.
    Bars { axes: Axes, groups: Vec<String>, bars: Vec<Bars> },
}

/// The labels of the axes, whether the vertical axis is logarithmic, and which statistic over seeds
/// is drawn along it.
#[derive(Debug, Clone, Serialize)]
pub struct Axes {
    pub x: String,
    pub y: String,
    pub logarithmic: bool,
    pub statistic: Statistic,
}

/// The statistic over seeds that is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Medians between quartiles.
    #[default]
    Median,
    /// Means with two standard errors.
    Mean,
    /// Means with one.
    StandardError,
    /// Means with 95 % intervals by Student's distribution.
    Interval,
}

/// One line over seeds.
#[derive(Debug, Clone, Serialize)]
pub struct Curve {
    pub name: String,
    /// The number of seeds.
    pub seeds: usize,
    pub points: Vec<CurvePoint>,
    /// Published values along it: places, medians.
    pub published: Vec<(f64, f64)>,
}

/// The seeds at one place.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CurvePoint {
    pub x: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub mean: f64,
    pub two_standard_errors: Option<f64>,
    /// Half of the 95 % interval of the mean, by Student's distribution.
    pub half_interval: Option<f64>,
}

/// One kind of bar, a value for each group.
#[derive(Debug, Clone, Serialize)]
pub struct Bars {
    pub name: String,
    /// Value and two standard errors.
    pub values: Vec<(f64, f64)>,
    /// Published values, if there are any.
    pub published: Vec<Option<f64>>,
    /// Whether it is a bound, drawn as a line across its group instead of a bar.
    pub bound: bool,
}

/// A claim that the results should show.
#[derive(Debug, Clone, Serialize)]
pub struct Claim {
    /// The claim.
    pub text: String,
    /// Whether it holds; none if there are too few seeds.
    pub holds: Option<bool>,
    /// The difference and the test.
    pub evidence: String,
}
