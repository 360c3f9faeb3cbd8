//! What is asked of a study.

use crate::data::Condition;
use crate::error::{Error, ErrorKind, Result};

/// A context: parameters that are given and not chosen, such as the machine, the batch of raw material
/// or the temperature of a day. One study learns from all contexts, and each has its own best setting,
/// its own next trial and its own end.
///
/// [`Request::context`](crate::study::Request::context) asks for a trial in it. What this trial must
/// improve upon is the best that the model knows *here*: the largest posterior mean of all settings
/// that were tried in any context, in this one. Compare
/// [`given`](crate::study::Request::given), which fixes parameters for once and still looks for the
/// best of the whole.
///
/// ```
/// use gittins::data::{Condition, Requirement};
/// use gittins::study::{Context, Request};
/// use gittins::{Outcome, Policy, Space, Study};
///
/// let space = Space::new().float("x", 0.0, 1.0).choice("machine", ["old", "new"]);
/// let mut study = Study::minimize(space).policy(Policy::gittins(1e-4)).build()?;
/// let on = |machine: &str| {
///     Context::new([Condition {
///         parameter: "machine".to_owned(),
///         requirement: Requirement::Is(vec![machine.into()]),
///     }])
/// };
/// for machine in ["old", "new"] {
///     while !on(machine).verdict(&mut study)?.is_stop() {
///         for ask in study.ask_for(&Request::new().context(&on(machine)))? {
///             let best = if machine == "old" { 0.3 } else { 0.6 };
///             study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - best).powi(2)))?;
///         }
///     }
/// }
/// let setting = on("new").recommendation(&mut study)?.expect("some trials are complete");
/// assert!((setting.numbers()[0] - 0.6).abs() < 0.1);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    pub(in crate::study) conditions: Vec<Condition>,
}

impl Context {
    /// The context in which these conditions hold.
    pub fn new(conditions: impl IntoIterator<Item = Condition>) -> Self {
        Self { conditions: conditions.into_iter().collect() }
    }
}

/// What is asked of a study: how many points, what they may cost, and where they lie. Everything
/// combines.
///
/// ```
/// use gittins::data::{Condition, Requirement};
/// use gittins::study::Request;
/// use gittins::{Cost, Outcome, Space, Study};
///
/// let space = Space::new().float("x", 0.0, 1.0).choice("solver", ["adam", "sgd"]);
/// let cost = Cost::known(|x: &[f64]| 1.0 + 9.0 * x[0]);
/// let mut study = Study::minimize(space).cost(cost).build()?;
/// let sgd = Condition {
///     parameter: "solver".to_owned(),
///     requirement: Requirement::Is(vec!["sgd".into()]),
/// };
/// let request = Request::new().count(3).jointly().within(4.0).given([sgd]);
/// for _ in 0..3 {
///     for ask in study.ask_for(&request)? {
///         let x: f64 = ask.get("x")?;
///         assert!(ask.choice("solver")? == "sgd" && 1.0 + 9.0 * x <= 4.0);
///         study.tell(ask.id(), Outcome::new((x - 0.7).powi(2)))?;
///     }
/// }
/// // A unit of cost buys nothing here.
/// assert!(study.ask_for(&Request::new().within(0.5))?.is_empty());
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub(in crate::study) count: usize,
    pub(in crate::study) jointly: bool,
    within: f64,
    pub(in crate::study) conditions: Vec<Condition>,
    pub(in crate::study) context: Context,
}

impl Default for Request {
    fn default() -> Self {
        Self::new()
    }
}

impl Request {
    /// One point, wherever it lies and whatever it costs.
    pub fn new() -> Self {
        let (conditions, context) = (Vec::new(), Context::default());
        Self { count: 1, jointly: false, within: f64::INFINITY, conditions, context }
    }

    /// This many points, to be evaluated at the same time. Each is chosen given all before it, as
    /// repeated [`ask`](crate::Study::ask)s would choose it, but they share one fit, one factor and
    /// one scan of the space, so they take a fraction of the time. In a continuous space the points
    /// after the first are found by fewer climbs than a single ask makes. With a second model (more
    /// than 20 inputs) each point takes as long as a single ask.
    pub fn count(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// All points are refined together. Each in turn moves to a better place given all the others,
    /// until none moves, three times at most. No move leaves the limit or the part that is asked
    /// for.
    ///
    /// For expected improvement this climbs, one point at a time, to a maximum of the joint expected
    /// improvement of all pending points, `E[max(0, max_i f(x_i) - y*)]`: as a function of one
    /// point this is a constant plus the mean over fantasies of the others' outcomes
    /// ([`Job::pending`](crate::Job::pending)). A Gittins index grows in each move.
    ///
    /// Points of the design, those of other acquisitions and those beside a second model (more than
    /// 20 inputs) stay where they were found. A round takes about three times as long.
    pub fn jointly(self) -> Self {
        Self { jointly: true, ..self }
    }

    /// Only points whose expected cost, learned or known, is at most this limit: for a worker that
    /// is free for this long. If the point without a limit is within it, it is that point, to the
    /// bit. Otherwise it is the best one by the same acquisition that is: the best row of a table
    /// or of a small grid, and in other spaces the best point that a search finds. There a plan of
    /// several steps and a knowledge gradient give way to expected improvement. The expected cost
    /// is that of the [suggestion](crate::suggest::Suggestion::cost), `exp(m + v/2)` of a learned
    /// one. A trial may turn out to cost more.
    ///
    /// While the initial design goes on, its next point within the limit is taken; if 256 points are
    /// all too expensive, what the policy suggests.
    ///
    /// The limit is positive, which the study checks. An infinite one is none.
    pub fn within(self, limit: f64) -> Self {
        Self { within: limit, ..self }
    }

    /// Only points at which these conditions hold, and those given before: parameters that are
    /// fixed, bounds that are narrower for once. A condition is on one parameter. A value
    /// ([`Requirement::Is`](crate::data::Requirement::Is)) implies that the parameter exists, and so
    /// all the conditions under which it does. A bound counts if the parameter exists. A point is the
    /// best of this part of the space by the model of the whole, in which trials elsewhere count too.
    /// A table has no parts: any of its rows may be left out.
    pub fn given(mut self, conditions: impl IntoIterator<Item = Condition>) -> Self {
        self.conditions.extend(conditions);
        self
    }

    /// Points in this context, in place of one that was named before. Each is to improve what is best
    /// in it, by the model of the whole.
    pub fn context(self, context: &Context) -> Self {
        Self { context: context.clone(), ..self }
    }

    /// Whether it is about a part of the space.
    pub(in crate::study) fn is_of_part(&self) -> bool {
        !self.conditions.is_empty() || self.context != Context::default()
    }

    /// The limit of the cost, if there is one.
    ///
    /// # Errors
    /// `InvalidSetting` for a limit that is not positive.
    pub(in crate::study) fn limit(&self) -> Result<Option<f64>> {
        let limit = self.within;
        if limit.is_nan() || limit <= 0.0 {
            let message = format!("the limit of the cost must be positive, got {limit}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(Some(limit).filter(|limit| limit.is_finite()))
    }
}
