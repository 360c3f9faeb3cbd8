//! A study as people write it: everything that is data, by name.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::backend::{BackendOptions, Choice as Backend};
use crate::data::trial::stages::Stages;
use crate::data::{
    Cost, Direction, Domain, Limit, Objective, Space, Table, Unchecked, Value, Warping,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{GaussianProcess, KernelFamily, Mean, Noise, Priors};
use crate::named::{Key, Named, Shape, keyed};
use crate::stop::NamedRule;
use crate::study::design::Setting;
use crate::study::settings::builder::StudyBuilder;
use crate::study::settings::search::Search;
use crate::suggest::Policy;
use crate::surrogate::Incumbent;

/// Numbers that are given by a word or a number of their own.
const FIXED: Shape = Shape::Keys(&[Key::must("fixed", Shape::Number, "The known number.")]);
const BOUNDS: Shape = Shape::Keys(&[Key::must(
    "learned",
    Shape::Keys(&[
        Key::must("low", Shape::Above(0.0), "The lower bound."),
        Key::must("high", Shape::Above(0.0), "The upper bound."),
    ]),
    "The bounds within which it is fitted.",
)]);
const UNIFORM: Shape =
    Shape::Keys(&[Key::must("uniform", Shape::AtLeast(0.0), "What each trial costs.")]);
const LINEAR: Shape = Shape::Keys(&[Key::must(
    "linear",
    Shape::Keys(&[
        Key::must("terms", Shape::List(&Shape::Values), "Names, and what a unit of each costs."),
        Key::may("fixed", Shape::Number, "What each trial costs besides; 0 unless set."),
    ]),
    "What the values of parameters come to.",
)]);
const LIMIT: Shape = Shape::Keys(&[
    Key::may("at_most", Shape::Number, "The upper bound."),
    Key::may("at_least", Shape::Number, "The lower bound."),
]);
const OBJECTIVE: Shape = Shape::Keys(&[
    Key::must("direction", Shape::OneOf(&["minimize", "maximize"]), "Which numbers are better."),
    Key::may("reference", Shape::Number, "The number that is worth nothing."),
]);
const KERNELS: &[&str] = &["matern12", "matern32", "matern52", "rbf", "spherical_linear"];
const BACKENDS: &[&str] = &["auto", "cpu", "gpu"];
const PRIORS: &[&str] =
    &["none", "gamma", "dimension_scaled", "dimension_scaled_gamma", "dimension_scaled_heavy"];

keyed! {
    /// A study as data: what a [`StudyBuilder`] is told, as far as it is no code. A setting that is
    /// `None` has its default.
    ///
    /// ```
    /// use gittins::study::StudySpec;
    /// # let json = r#"
    /// {
    ///   "direction": "minimize",
    ///   "space": {"parameters": [{"name": "x", "kind": {"float": {"low": 0, "high": 1}}}]},
    ///   "policy": {"name": "gittins", "price": 1e-3},
    ///   "stop": ["gittins", {"name": "stall", "window": 30}]
    /// }
    /// # "#;
    /// # #[cfg(feature = "journal")] {
    /// let spec: StudySpec = serde_json::from_str(json).unwrap();
    /// let mut study = spec.builder()?.build()?;
    /// study.ask()?;
    /// let wrong = serde_json::from_str::<StudySpec>(r#"{"bugdet": 3}"#).unwrap_err();
    /// assert!(wrong.to_string().starts_with("unknown key \"bugdet\"; did you mean \"budget\"?"));
    /// # }
    /// # Ok::<(), gittins::Error>(())
    /// ```
    StudySpec {
        /// Which outcomes are better.
        direction: Direction = Shape::OneOf(&["minimize", "maximize"]), needed;
        /// What varies. Either a space or a table is needed.
        space: Space, from UncheckedSpace = Shape::Space;
        /// The candidates, in place of a space.
        table: Candidates = Shape::Keys(Candidates::KEYS);
        /// What a trial costs: each the same (1 unless set), linear in its amounts, or learned from
        /// what is told.
        cost: Cost = Shape::Either(&[Shape::OneOf(&["learned"]), UNIFORM, LINEAR]);
        /// The smallest cost that still matters; a cost of zero needs it.
        cost_floor: f64 = Shape::Above(0.0);
        /// The unit of cost in reports.
        cost_unit: String = Shape::Text;
        /// What chooses the trials: `log_eipc` unless set, or what a budget brings along.
        policy: Named = Shape::Policy;
        /// What measured numbers must hold, by their names: `at_most` or `at_least` of each.
        limits: BTreeMap<String, Limit> = Shape::Named(&LIMIT);
        /// What is an objective as well, by their names: a direction and a reference of each.
        objectives: BTreeMap<String, Objective> = Shape::Named(&OBJECTIVE);
        /// The outcome that is worth nothing, beside other objectives.
        reference: f64 = Shape::Number;
        /// The best outcome that is possible: a trial that has it ends the run.
        best_possible: f64 = Shape::Number;
        /// What ends the run: the Gittins rule at the policy's price unless set.
        stop: NamedRule = Shape::Rule;
        /// The costs that all trials may come to.
        budget: f64 = Shape::Above(0.0);
        /// The seed that fixes the run; 0 unless set.
        seed: u64 = Shape::Count(0);
        /// How many trials are made before a model chooses: those of first, the others spread over the
        /// space.
        initial: usize = Shape::Count(0);
        /// The settings to begin with, each by the names of its parameters.
        first: Vec<Setting> = Shape::List(&Shape::Named(&Shape::Value));
        /// How many trials the run is expected to have, the initial design included.
        expected_trials: usize = Shape::Count(0);
        /// How many seconds one suggestion or verdict may take.
        time_limit: f64 = Shape::AtLeast(0.0);
        /// A pending trial is treated as lost once it has cost this many times its expected cost; 5
        /// unless set.
        overdue: f64 = Shape::AtLeast(1.0);
        /// Whether outcomes are standardized before they are modeled; true unless set.
        standardize: bool = Shape::Flag;
        /// How outcomes are warped before they are modeled; `half_rank` unless set.
        warping: Warping = Shape::OneOf(&["none", "half_rank"]);
        /// What a new trial must improve upon; `posterior_mean` unless set.
        incumbent: Incumbent = Shape::OneOf(&["posterior_mean", "best_outcome"]);
        /// How hard a space is searched for the next trial.
        search: SearchSpec = Shape::Keys(SearchSpec::KEYS);
        /// The model of the outcome.
        model: ModelSpec = Shape::Keys(ModelSpec::KEYS);
        /// The model of the logarithm of the cost.
        cost_model: ModelSpec = Shape::Keys(ModelSpec::KEYS);
        /// The stages of a trial, if it reports on its way: how long it is, and when it reports.
        stages: Stages = Shape::Keys(Stages::KEYS);
        /// Who evaluates batches on this machine: auto takes a graphics card where it is quicker.
        backend: Backend = Shape::OneOf(BACKENDS);
    }
}

keyed! {
    /// A table of candidates as data.
    Candidates {
        /// The names of the columns.
        names: Vec<String> = Shape::List(&Shape::Text), needed;
        /// A list of values for each candidate.
        rows: Vec<Vec<Value>> = Shape::List(&Shape::Values), needed;
        /// The columns whose orders of magnitude matter.
        log: Vec<String> = Shape::List(&Shape::Text);
        /// What each candidate is called where it is shown; no model sees it.
        labels: Vec<String> = Shape::List(&Shape::Text);
    }
}

keyed! {
    /// How hard a space is searched, as data: [`Search`].
    SearchSpec {
        /// Quasi-random points that are scored; needs starts.
        points: usize = Shape::Count(1);
        /// Climbs from the best of them; needs points.
        starts: usize = Shape::Count(1);
        /// Whether only quasi-random points are looked at, as in published experiments.
        plain: bool = Shape::Flag;
    }
}

keyed! {
    /// A Gaussian process as data: [`GaussianProcess`].
    ModelSpec {
        /// The kernel; matern52 unless set.
        kernel: KernelFamily = Shape::OneOf(KERNELS);
        /// Whether all inputs share one lengthscale.
        isotropic: bool = Shape::Flag;
        /// The mean; profiled unless set.
        mean: Mean = Shape::Either(&[Shape::OneOf(&["learned", "profiled"]), FIXED]);
        /// The variance of the noise, known or within bounds.
        noise: Noise = Shape::Either(&[FIXED, BOUNDS]);
        /// The priors on the hyper-parameters; `dimension_scaled_gamma` unless set.
        priors: Priors = Shape::OneOf(PRIORS);
        /// The lower and the upper bound of every lengthscale.
        lengthscale_bounds: [f64; 2] = Shape::List(&Shape::Above(0.0));
        /// The lengthscale of each input, if the kernel is known; needs outputscale.
        lengthscales: Vec<f64> = Shape::List(&Shape::Above(0.0));
        /// The variance of the function, if the kernel is known; needs lengthscales.
        outputscale: f64 = Shape::Above(0.0);
        /// Further starts of a fit from scratch.
        restarts: usize = Shape::Count(0);
        /// The relative change of the objective at which a fit has converged.
        tolerance: f64 = Shape::Above(0.0);
    }
}

/// A space as it is read: [`StudyBuilder::build`] checks it, and its errors have kinds.
#[derive(Deserialize)]
#[serde(transparent)]
struct UncheckedSpace(Unchecked);

impl From<UncheckedSpace> for Space {
    fn from(read: UncheckedSpace) -> Self {
        read.0.space()
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidSetting, message)
}

/// Two settings of which each needs the other.
fn both<A, B>(what: [&str; 2], first: Option<A>, second: Option<B>) -> Result<Option<(A, B)>> {
    match (first, second) {
        (Some(first), Some(second)) => Ok(Some((first, second))),
        (None, None) => Ok(None),
        (Some(_), None) => Err(invalid(format!("{} needs {}, which is missing", what[0], what[1]))),
        (None, Some(_)) => Err(invalid(format!("{} needs {}, which is missing", what[1], what[0]))),
    }
}

/// Which outcomes of what are searched.
fn searched(
    direction: Option<Direction>,
    space: Option<Space>,
    table: Option<Candidates>,
) -> Result<(Direction, Domain)> {
    let direction = direction.ok_or_else(|| {
        invalid("direction: expected \"minimize\" or \"maximize\", got nothing".to_owned())
    })?;
    let domain = match (space, table) {
        (Some(space), None) => space.into(),
        (None, Some(table)) => table.table().map_err(|error| error.at("table"))?.into(),
        _ => return Err(invalid("expected either a space or a table".to_owned())),
    };
    Ok((direction, domain))
}

impl StudySpec {
    /// Checks the numbers whose bounds the table of keys has.
    fn check(&self) -> Result<()> {
        let numbers = [
            ("cost_floor", self.cost_floor),
            ("budget", self.budget),
            ("time_limit", self.time_limit),
            ("overdue", self.overdue),
        ];
        for (name, number) in numbers {
            let key = Self::KEYS.iter().find(|key| key.name == name);
            if let (Some(key), Some(number)) = (key, number)
                && !key.shape.fits(number)
            {
                let expected = key.shape.words();
                return Err(invalid(format!("{name}: expected {expected}, got {number}")));
            }
        }
        Ok(())
    }

    /// The builder of the study.
    ///
    /// # Errors
    /// `InvalidSetting`, naming the key: one is missing or makes no sense. Those of [`Table::new`]
    /// and of [`Policy::named`]. The space and the rest are checked by [`StudyBuilder::build`].
    pub fn builder(self) -> Result<StudyBuilder> {
        self.check()?;
        let (direction, domain) = searched(self.direction, self.space, self.table)?;
        let mut builder = StudyBuilder::new(domain, direction);
        if let Some(policy) = self.policy {
            builder =
                builder.policy(Policy::try_from(&policy).map_err(|error| error.at("policy"))?);
        }
        if let Some(stop) = self.stop {
            stop.rule().map_err(|error| error.at("stop"))?;
            builder = builder.stop(stop);
        }
        let limits = self.limits.into_iter().flatten();
        builder = limits.fold(builder, |builder, (name, limit)| builder.limit(name, limit));
        let objectives = self.objectives.into_iter().flatten();
        builder = objectives.fold(builder, |builder, (name, one)| builder.objective(name, one));
        builder = self.reference.into_iter().fold(builder, StudyBuilder::reference);
        builder = self.best_possible.into_iter().fold(builder, StudyBuilder::best_possible);
        builder = self.cost.into_iter().fold(builder, StudyBuilder::cost);
        builder = self.cost_floor.into_iter().fold(builder, StudyBuilder::cost_floor);
        builder = self.cost_unit.into_iter().fold(builder, StudyBuilder::cost_unit);
        builder = self.budget.into_iter().fold(builder, StudyBuilder::budget);
        builder = self.seed.into_iter().fold(builder, StudyBuilder::seed);
        builder = self.initial.into_iter().fold(builder, StudyBuilder::initial);
        builder = self.first.into_iter().flatten().fold(builder, StudyBuilder::first);
        builder = self.expected_trials.into_iter().fold(builder, StudyBuilder::expected_trials);
        if let Some(seconds) = self.time_limit {
            let limit = Duration::try_from_secs_f64(seconds);
            let limit = limit.map_err(|error| invalid(format!("time_limit: {error}")))?;
            builder = builder.time_limit(limit);
        }
        builder = self.overdue.into_iter().fold(builder, StudyBuilder::overdue);
        builder = self.standardize.into_iter().fold(builder, StudyBuilder::standardize);
        builder = self.warping.into_iter().fold(builder, StudyBuilder::warping);
        builder = self.incumbent.into_iter().fold(builder, StudyBuilder::incumbent);
        if let Some(search) = self.search {
            builder = builder.search(search.search().map_err(|error| error.at("search"))?);
        }
        if let Some(model) = self.model {
            builder = builder.model(model.model().map_err(|error| error.at("model"))?);
        }
        if let Some(model) = self.cost_model {
            builder = builder.cost_model(model.model().map_err(|error| error.at("cost_model"))?);
        }
        if let Some(stages) = self.stages {
            stages.end().map_err(|error| error.at("stages"))?;
            builder = builder.stages(stages);
        }
        if let Some(choice) = self.backend {
            let options = BackendOptions { choice, ..BackendOptions::from_env()? };
            let backend = options.open_wanted().map_err(|error| error.at("backend"))?;
            builder = builder.backend(backend);
        }
        Ok(builder)
    }
}

impl Candidates {
    fn table(self) -> Result<Table> {
        let both = both(["names", "rows"], self.names, self.rows)?;
        let (names, rows) = both.ok_or_else(|| invalid("names and rows are missing".to_owned()))?;
        let log = self.log.unwrap_or_default();
        let table = log.iter().try_fold(Table::new(names, rows)?, |table, name| table.log(name))?;
        self.labels.into_iter().try_fold(table, Table::labels)
    }
}

impl SearchSpec {
    fn search(self) -> Result<Search> {
        let size = both(["points", "starts"], self.points, self.starts)?;
        let search = size.map_or_else(Search::default, |(raw, starts)| Search::new(raw, starts));
        Ok(if self.plain == Some(true) { search.plain() } else { search })
    }
}

impl ModelSpec {
    fn model(self) -> Result<GaussianProcess> {
        let mut model = GaussianProcess::new();
        model = self.kernel.into_iter().fold(model, GaussianProcess::kernel);
        model = if self.isotropic == Some(true) { model.isotropic() } else { model };
        model = self.mean.into_iter().fold(model, GaussianProcess::mean);
        model = self.noise.into_iter().fold(model, GaussianProcess::noise);
        model = self.priors.into_iter().fold(model, GaussianProcess::priors);
        if let Some([low, high]) = self.lengthscale_bounds {
            model = model.lengthscale_bounds(low, high);
        }
        let known = ["lengthscales", "outputscale"];
        if let Some((lengths, variance)) = both(known, self.lengthscales, self.outputscale)? {
            model = model.fixed_kernel(lengths, variance);
        }
        model = self.restarts.into_iter().fold(model, GaussianProcess::restarts);
        Ok(self.tolerance.into_iter().fold(model, GaussianProcess::tolerance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_table_are_those_of_the_types() {
        let kernels = KernelFamily::ALL.iter().map(|family| family.name());
        assert_eq!(Vec::from_iter(kernels), KERNELS);
    }
}
