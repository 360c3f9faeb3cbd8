//! A study of runs in stages as people write it.

#[cfg(feature = "journal")]
use crate::data::Domain;
use crate::data::stages::Stages;
use crate::data::{Cost, Direction, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::named::{Named, Shape, keyed};
use crate::staged::builder::StagedStudyBuilder;
use crate::study::{Candidates, UncheckedSpace, searched};
use crate::suggest::Policy;

keyed! {
    /// A study of runs in stages as data: what a [`StagedStudyBuilder`] is told. A setting that is
    /// `None` has its default.
    ///
    /// ```
    /// use gittins::staged::StagedSpec;
    /// # let json = r#"
    /// {
    ///   "direction": "minimize",
    ///   "space": {"parameters": [{"name": "x", "kind": {"float": {"low": 0, "high": 1}}}]},
    ///   "stages": {"total": 52, "reports": [3, 6, 11, 19, 32, 52]}
    /// }
    /// # "#;
    /// # #[cfg(feature = "journal")] {
    /// let spec: StagedSpec = serde_json::from_str(json).unwrap();
    /// let ask = spec.builder()?.build()?.ask()?;
    /// assert_eq!(ask.until(), 3.0);
    /// # }
    /// # Ok::<(), gittins::Error>(())
    /// ```
    StagedSpec {
        /// Which outcomes are better.
        direction: Direction = Shape::OneOf(&["minimize", "maximize"]), needed;
        /// What varies. Either a space or a table is needed.
        space: Space, from UncheckedSpace = Shape::Space;
        /// The candidates, in place of a space.
        table: Candidates = Shape::Keys(Candidates::KEYS);
        /// How long a run is, and when it reports.
        stages: StagesSpec = Shape::Keys(StagesSpec::KEYS), needed;
        /// What a run costs: learned, since reports tell it.
        cost: Cost = Shape::OneOf(&["learned"]);
        /// The unit of cost in reports.
        cost_unit: String = Shape::Text;
        /// The price of a unit of cost: gittins with a price. Unless set it falls by itself.
        policy: Named = Shape::Policy;
        /// The costs that all runs may come to.
        budget: f64 = Shape::Above(0.0);
        /// The seed that fixes the run; 0 unless set.
        seed: u64 = Shape::Count(0);
        /// How many runs that differ begin before the index decides; 10 unless set.
        initial: usize = Shape::Count(1);
    }
}

keyed! {
    /// The stages of runs as data: [`Stages`].
    StagesSpec {
        /// The progress at the end of a run. Either a total, epochs or folds are needed.
        total: f64 = Shape::Above(0.0);
        /// How many epochs a run has, in place of a total: reports come after whole ones.
        epochs: u32 = Shape::Count(1);
        /// How many folds a run is the mean of, in place of a total: each is a report.
        folds: u32 = Shape::Count(1);
        /// The progress at each report.
        reports: Vec<f64> = Shape::List(&Shape::Above(0.0));
        /// Whether a run that was left can be resumed; true unless set.
        resumable: bool = Shape::Flag;
        /// Whether what a run had at any report is in hand; false unless set.
        any_stage_counts: bool = Shape::Flag;
        /// Whether each stage begins anew, and costs its whole progress; false unless set.
        repeats: bool = Shape::Flag;
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidSetting, message)
}

impl StagedSpec {
    /// The builder of the study.
    ///
    /// # Errors
    /// `InvalidSetting`, naming the key: one is missing or makes no sense. Space and stages are
    /// checked by [`StagedStudyBuilder::build`].
    pub fn builder(self) -> Result<StagedStudyBuilder> {
        let (direction, domain) = searched(self.direction, self.space, self.table)?;
        let stages = self.stages.ok_or_else(|| invalid("stages: expected a total, got nothing"))?;
        let stages = stages.stages().map_err(|error| error.at("stages"))?;
        if self.cost.is_some_and(|cost| !matches!(cost, Cost::Learned)) {
            let message = "cost: expected \"learned\": reports tell what a stage cost";
            return Err(invalid(message));
        }
        let mut builder = StagedStudyBuilder::new(domain, stages, direction);
        if let Some(policy) = self.policy {
            let policy = Policy::try_from(&policy).map_err(|error| error.at("policy"))?;
            let price = policy.price().ok_or_else(|| {
                invalid("policy: expected \"gittins\" with a price: runs in stages are compared by their index")
            })?;
            builder = builder.lambda(price);
        }
        builder = self.budget.into_iter().fold(builder, StagedStudyBuilder::budget);
        builder = self.seed.into_iter().fold(builder, StagedStudyBuilder::seed);
        builder = self.initial.into_iter().fold(builder, StagedStudyBuilder::initial);
        Ok(self.cost_unit.into_iter().fold(builder, StagedStudyBuilder::cost_unit))
    }
}

impl StagedStudyBuilder {
    /// What it was told, as data, but the rows of a table.
    #[cfg(feature = "journal")]
    pub(crate) fn spec(&self) -> StagedSpec {
        let space = match &self.domain {
            Domain::Space(space) => Some(space.clone()),
            Domain::Table(_) => None,
        };
        let price = |lambda| Named::new("gittins", &[("price", lambda)]);
        let (total, folds) = (self.stages.total(), self.stages.are_folds());
        StagedSpec {
            direction: Some(self.direction),
            space,
            table: None,
            stages: Some(StagesSpec {
                total: (!folds).then_some(total),
                epochs: None,
                folds: folds.then_some(total as u32),
                reports: self.stages.progress().ok().filter(|_| !folds),
                resumable: Some(self.stages.is_resumable()),
                any_stage_counts: self.stages.does_any_stage_count().then_some(true),
                repeats: self.stages.do_repeat().then_some(true),
            }),
            cost: None,
            cost_unit: self.cost_unit.clone(),
            policy: self.lambda.map(price),
            budget: self.budget,
            seed: Some(self.seed),
            initial: self.initial,
        }
    }
}

impl StagesSpec {
    /// The stages.
    ///
    /// # Errors
    /// `InvalidSetting` unless one of a total, epochs and folds is there. [`Stages::progress`] checks
    /// the rest.
    pub fn stages(self) -> Result<Stages> {
        let stages = match (self.total, self.epochs, self.folds) {
            (Some(total), None, None) => Stages::of(total),
            (None, Some(epochs), None) => Stages::epochs(epochs),
            (None, None, Some(folds)) => Stages::folds(folds),
            (None, None, None) => {
                return Err(invalid("expected a total, epochs or folds, got none of them"));
            }
            _ => return Err(invalid("expected one of total, epochs and folds, got several")),
        };
        let stages = self.reports.into_iter().fold(stages, Stages::reports);
        let stages = self.resumable.into_iter().fold(stages, Stages::resumable);
        let stages = self.repeats.into_iter().fold(stages, Stages::repeats);
        Ok(self.any_stage_counts.into_iter().fold(stages, Stages::any_stage_counts))
    }
}
