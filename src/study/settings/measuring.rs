//! What a study is told of numbers that are measured beside the outcome.

use crate::data::{Limit, Objective};
use crate::study::settings::builder::StudyBuilder;

impl StudyBuilder {
    /// An outcome constraint: a limit on a metric that is measured beside the outcome. A trial that
    /// breaks it is of no use, whatever its outcome: it is never recommended. Each complete trial
    /// tells the number, by [`Outcome::measured`](crate::Outcome::measured). Set it again to
    /// replace it; any number of names may have one.
    ///
    /// - *Suggestions.* The slack of each limit has a model of its own, and a point the probability
    ///   of feasibility `P`, that a trial there holds them all
    ///   ([`Usable`](crate::posterior::Usable)). Improvements are multiplied by it. A Gittins index
    ///   is that at the price `c / P`: a box that is of use with probability `P` pays
    ///   `P E[max(f - g, 0)] = lambda c`. Policies that cannot weigh it (bounds, sample paths,
    ///   estimates of the maximum) are refused.
    /// - *The incumbent* is the best feasible trial, which holds all limits: as measured, and by
    ///   the posterior mean of a number that has noise. While there is none, suggestions look for
    ///   the largest chance of any use per cost, and the verdict names the trial closest to
    ///   feasibility. It is to stop if no chance is worth its price, with the worst outcome in
    ///   place of none.
    /// - *A limit that is known without a trial*, such as a number of weights, is a constraint of the
    ///   [space](crate::Space) instead.
    ///
    /// ```
    /// use gittins::study::Limit;
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 2.0).float("y", 0.0, 2.0);
    /// let mut study = Study::minimize(space).limit("sum", Limit::at_least(1.2)).build()?;
    /// for _ in 0..20 {
    ///     let ask = study.ask()?;
    ///     let (x, y): (f64, f64) = (ask.get("x")?, ask.get("y")?);
    ///     study.tell(ask.id(), Outcome::new(x * x + y * y).measured("sum", x + y))?;
    /// }
    /// let best = study.best().expect("a trial that holds the limit");
    /// assert!(best.measured.get("sum") >= Some(1.2));
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn limit(mut self, name: impl Into<String>, limit: Limit) -> Self {
        self.options.limits.insert(name.into(), limit);
        self
    }

    /// A metric that is measured beside the outcome and is an objective as well. The study then
    /// looks for the Pareto front: the non-dominated trials. No other trial is as good as one of
    /// them in every objective and better in one. There are at most three objectives, the outcome
    /// included. Each complete trial tells the number, by
    /// [`Outcome::measured`](crate::Outcome::measured).
    ///
    /// - *Suggestions* maximize the expected improvement of the front's hypervolume over the references,
    ///   per expected cost unless the policy is `log_ei`. Limits count as ever.
    /// - *The stop*: with a price ([`Policy::gittins`](crate::Policy::gittins)) a unit of cost is
    ///   worth this many units of hypervolume, in the product of the objectives' units
    ///   ([`GittinsRule`](crate::GittinsRule)).
    /// - *The result* is [`Study::front`](crate::Study::front). There is no one best trial, and no
    ///   recommendation.
    ///
    /// A penalty of a failed trial, far worse than all else, counts by its rank alone. Otherwise outcomes
    /// are not warped.
    ///
    /// ```
    /// use gittins::study::Objective;
    /// use gittins::{Outcome, Policy, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let mut study = Study::minimize(space)
    ///     .reference(1.0)
    ///     .objective("seconds", Objective::minimize().reference(1.0))
    ///     .policy(Policy::gittins(1e-3))
    ///     .build()?;
    /// while !study.verdict()?.is_stop() {
    ///     let ask = study.ask()?;
    ///     let x: f64 = ask.get("x")?;
    ///     study.tell(ask.id(), Outcome::new((1.0 - x).powi(2)).measured("seconds", x * x))?;
    /// }
    /// assert!(study.front()?.len() > 5);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn objective(mut self, name: impl Into<String>, objective: Objective) -> Self {
        self.options.objectives.insert(name.into(), objective);
        self
    }

    /// The outcome that is worth nothing, as is whatever is worse, if there are several
    /// [objectives](Self::objective). Unless it is set, it is inferred from the feasible trials.
    pub fn reference(mut self, worst: f64) -> Self {
        self.options.reference = Some(worst);
        self
    }

    /// The best outcome that is possible, such as an accuracy of 1. A trial that has it, or a better
    /// one, and holds all limits ends the study, whatever its price and its rule. Beside other
    /// [objectives](Self::objective), and in a [context](crate::study::Context), it ends nothing.
    /// Without it a study by a price sees from [many ties](crate::GittinsRule) that outcomes end.
    pub fn best_possible(mut self, best: f64) -> Self {
        self.options.best_possible = Some(best);
        self
    }
}
