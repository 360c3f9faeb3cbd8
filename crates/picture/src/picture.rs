//! A study to be drawn, and its panels.

use std::collections::HashMap;

use chart::Panel;
use gittins::study::{Limit, Objective, Recommendation};
use gittins::{Record, Space, Trial};

use crate::axis::Axis;
use crate::front::{self, Fronted, Goal};
use crate::mixture::Mixture;
use crate::trials::Trials;
use crate::{course, parameter, prediction, verdict};

/// Marks with a title of their own, in all panels together. More would make the page heavy.
const TITLES: usize = 5000;

/// A study to be drawn.
#[derive(Debug, Clone)]
pub struct Picture<'a> {
    pub(crate) record: &'a Record,
    pub(crate) title: String,
    pub(crate) axes: HashMap<String, Axis>,
    pub(crate) mixtures: Vec<Mixture>,
    pub(crate) unit: Option<String>,
    pub(crate) limits: Vec<(String, Limit)>,
    pub(crate) front: Option<Fronted>,
    pub(crate) failures: HashMap<usize, String>,
    pub(crate) verdict: Option<String>,
    pub(crate) recommendation: Option<&'a Recommendation>,
}

impl<'a> Picture<'a> {
    /// The pictures of a record.
    pub fn new(record: &'a Record) -> Self {
        Self {
            record,
            title: "A study".to_owned(),
            axes: HashMap::new(),
            mixtures: Vec::new(),
            unit: None,
            limits: Vec::new(),
            front: None,
            failures: HashMap::new(),
            verdict: None,
            recommendation: None,
        }
    }

    /// Sets the title of the page.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Takes the axes of parameters from the space that was searched, and parts of it that sum to a
    /// total.
    pub fn space(mut self, space: &Space) -> Self {
        for parameter in space.parameters() {
            if let Some(axis) = Axis::of(parameter.kind()) {
                self.axes.insert(parameter.name().to_owned(), axis);
            }
        }
        self.mixtures = Mixture::of(space);
        self
    }

    /// Sets the axis of a parameter. Without one, numbers have the range that was tried, on a
    /// logarithmic axis if they are positive and differ by more than a factor of 1000.
    pub fn axis(mut self, parameter: impl Into<String>, axis: Axis) -> Self {
        self.axes.insert(parameter.into(), axis);
        self
    }

    /// Sets the unit of cost, such as `s` or `EUR`.
    pub fn cost_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Sets the limits on measured numbers, by their names. A trial that does not hold them all is
    /// drawn hollow or gray, and is never the best.
    pub fn limits<N: Into<String>>(mut self, limits: impl IntoIterator<Item = (N, Limit)>) -> Self {
        self.limits = limits.into_iter().map(|(name, limit)| (name.into(), limit)).collect();
        self
    }

    /// Sets the objectives beside the outcome, by their names, and the trials on the front. The
    /// front is drawn first, and stands in the table in place of the best trials.
    pub fn front<N: Into<String>>(
        mut self,
        objectives: impl IntoIterator<Item = (N, Objective)>,
        front: &[Trial],
    ) -> Self {
        let goal = |(name, objective): (N, Objective)| Goal {
            name: name.into(),
            direction: objective.direction(),
        };
        let goals = objectives.into_iter().map(goal).collect();
        let trials = front.iter().map(|trial| trial.id.index()).collect();
        self.front = Some(Fronted { goals, trials });
        self
    }

    /// Sets why trials failed, by their numbers in the record.
    pub fn failures<W: Into<String>>(mut self, why: impl IntoIterator<Item = (usize, W)>) -> Self {
        self.failures = why.into_iter().map(|(trial, why)| (trial, why.into())).collect();
        self
    }

    /// Sets what the page says of going on, such as [`Verdict`](gittins::Verdict) in words.
    pub fn verdict(mut self, words: impl Into<String>) -> Self {
        self.verdict = Some(words.into());
        self
    }

    /// Sets what the page recommends.
    pub fn recommendation(mut self, recommendation: &'a Recommendation) -> Self {
        self.recommendation = Some(recommendation);
        self
    }

    /// The panels: the front if there are several objectives, the best outcome against money spent,
    /// what the next trial was worth, predicted outcomes and costs, each mixture of the space, and
    /// each parameter against the outcome. Three parts of a mixture are a triangle of all trials;
    /// more or fewer are bars of the best trials. All are there, whatever the record has; one without
    /// anything to draw says so.
    pub fn panels(&self) -> Vec<Panel> {
        self.panels_of(&self.trials())
    }

    pub(crate) fn trials(&self) -> Trials<'_> {
        Trials::new(self.record, self.unit.as_deref(), &self.limits, &self.failures)
    }

    pub(crate) fn panels_of(&self, trials: &Trials<'_>) -> Vec<Panel> {
        let told = trials.told.len();
        let mut left = TITLES;
        // Those that come first have titles as long as there are some left.
        let mut titled = || {
            let enough = told <= left;
            left -= if enough { told } else { 0 };
            enough
        };
        let fronted = self.front.as_ref();
        let mut panels: Vec<Panel> =
            fronted.map(|fronted| front::draw(trials, fronted, titled())).into_iter().collect();
        panels.extend([
            course::draw(trials, titled()),
            verdict::draw(trials, fronted.is_some(), titled()),
            prediction::outcomes(trials, titled()),
            prediction::costs(trials, titled()),
        ]);
        let mixtures = self.mixtures.iter().enumerate();
        panels.extend(mixtures.map(|(index, one)| one.draw(trials, index, titled())));
        let names = self.record.names().enumerate();
        panels
            .extend(names.map(|(index, name)| {
                parameter::draw(trials, index, self.axes.get(name), titled())
            }));
        panels
    }
}
