//! The policies that a name and numbers make. Every front end knows them from here.

use crate::acquisition::{Acquisition, MaximumEstimate};
use crate::error::{Error, Result};
use crate::named::{Entry, Key, Named, Shape};
use crate::suggest::policy::Policy;
use crate::suggest::policy::estimation::Estimation;
use crate::suggest::policy::max_value::MaxValueEntropy;

const PRICE: Key = Key::must(
    "price",
    Shape::Above(0.0),
    "How much better the outcome must get to be worth one more unit of cost.",
);
const BUDGET: Key =
    Key::must("budget", Shape::Above(0.0), "The costs that all trials may come to.");
const FACTOR: Key =
    Key::or("factor", Shape::Above(1.0), 2.0, "By what the price is divided when it falls.");
const STEPS: Key = Key::or("steps", Shape::Count(1), 4.0, "How many trials are planned at a time.");
const LEVELS: Key =
    Key::or("fantasies", Shape::Count(1), 1.0, "Fantasies of the outcome at each step of a plan.");

/// The table.
static POLICIES: &[Entry<Policy>] = &[
    Entry::new(
        "gittins",
        &[PRICE],
        "The Gittins index at a price. It stops once no index beats the best outcome.",
        |n| Policy::gittins(n[0]),
    ),
    Entry::new(
        "gittins_decay",
        &[PRICE, FACTOR],
        "The Gittins index with a price that is divided whenever the run would have ended.",
        |n| Policy::gittins_decay(n[0], n[1]),
    ),
    Entry::new(
        "gittins_decay_from_budget",
        &[BUDGET, FACTOR],
        "The falling price that starts where a run is expected to cost at most the budget.",
        |n| Policy::gittins_decay_from_budget(n[0], n[1]),
    ),
    Entry::new(
        "gittins_adaptive",
        &[],
        "The Gittins index at half the best expected improvement per cost.",
        |_| Policy::gittins_adaptive(),
    ),
    Entry::new(
        "log_eipc",
        &[],
        "Expected improvement per cost, on the log scale. It needs no price and never stops.",
        |_| Policy::log_eipc(),
    ),
    Entry::new(
        "log_ei",
        &[],
        "Expected improvement, on the log scale. It ignores the cost.",
        |_| Policy::log_ei(),
    ),
    Entry::new("ei", &[], "Expected improvement. It ignores the cost.", |_| Policy::ei()),
    Entry::new(
        "log_pi",
        &[],
        "The probability of improvement, on the log scale. It ignores the cost.",
        |_| Policy::log_pi(),
    ),
    Entry::new(
        "log_eipc_cooled",
        &[BUDGET],
        "Expected improvement per cost that looks less at the cost as a budget is used up.",
        |n| Policy::log_eipc_cooled(n[0]),
    ),
    Entry::new(
        "ei_puc_cc",
        &[BUDGET],
        "The same with a liking for uncertain costs: EI-PUC-CC.",
        |n| Policy::ei_puc_cc(n[0]),
    ),
    Entry::new("ucb", &[], "The upper confidence bound. It ignores the cost.", |_| Policy::ucb()),
    Entry::new("thompson", &[], "Thompson sampling. It ignores the cost.", |_| Policy::thompson()),
    Entry::new(
        "estimation",
        &[Key::or(
            "points",
            Shape::Count(1),
            2048.0,
            "Points over which the maximum is estimated.",
        )],
        "The likeliest place of the estimated maximum. It ignores the cost.",
        |n| {
            let points = n[0] as usize;
            Policy::estimation(Estimation { points, ..MaximumEstimate::Integral.into() })
        },
    ),
    Entry::new(
        "max_value_entropy",
        &[
            Key::or("samples", Shape::Count(1), 10.0, "Samples of the maximum at each step."),
            Key::or(
                "exponent",
                Shape::AtLeast(0.0),
                0.0,
                "The power of the cost that the information is divided by; 0 ignores it.",
            ),
        ],
        "Max-value entropy search.",
        |n| {
            let samples = n[0] as usize;
            let exponent = n[1];
            Policy::max_value_entropy(MaxValueEntropy { samples, exponent, ..Default::default() })
        },
    ),
    Entry::new(
        "knowledge_gradient",
        &[Key::or("fantasies", Shape::Count(2), 64.0, "Fantasies of the next outcome.")],
        "The knowledge gradient. It ignores the cost.",
        |n| Policy::knowledge_gradient(n[0] as usize),
    ),
    Entry::new(
        "multi_step_lookahead",
        &[STEPS, LEVELS],
        "Plans of several trials. They ignore the cost.",
        |n| Acquisition::multi_step_lookahead(n[0] as usize, &[n[1] as usize]).into(),
    ),
    Entry::new(
        "budgeted_lookahead",
        &[BUDGET, STEPS, LEVELS],
        "Plans of several trials within the rest of a budget.",
        |n| {
            let plan = Acquisition::budgeted_lookahead(n[1] as usize, &[n[2] as usize]);
            plan.budget(n[0]).into()
        },
    ),
];

impl Policy {
    /// The policies that a name and numbers make, with their parameters.
    ///
    /// ```
    /// let names: Vec<&str> = gittins::Policy::entries().iter().map(|entry| entry.name).collect();
    /// assert!(names.contains(&"gittins") && names.contains(&"thompson"));
    /// ```
    #[doc(hidden)]
    pub fn entries() -> &'static [Entry<Self>] {
        POLICIES
    }

    /// A policy by its name and its parameters. The names are those of the constructors.
    ///
    /// ```
    /// use gittins::Policy;
    /// assert_eq!(Policy::named("gittins", &[("price", 1e-4)])?, Policy::gittins(1e-4));
    /// let error = Policy::named("gitins", &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "no policy is named \"gitins\"; did you mean \"gittins\"?");
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidSetting`, naming the culprit: there is no such policy or parameter, one is missing,
    /// or a number makes no sense.
    pub fn named(name: &str, numbers: &[(&str, f64)]) -> Result<Self> {
        Self::try_from(&Named::new(name, numbers))
    }
}

impl TryFrom<&Named> for Policy {
    type Error = Error;

    fn try_from(named: &Named) -> Result<Self> {
        let (entry, numbers) = named.find("policy", POLICIES, &[])?;
        let policy = (entry.make)(&numbers);
        policy.validate()?;
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, numbers, and what is said of them.
    type Case = (&'static str, &'static [(&'static str, f64)], &'static str);

    #[test]
    fn what_is_wrong_with_a_name_or_a_number_is_said() {
        let cases: &[Case] = &[
            ("gitins", &[], "no policy is named \"gitins\"; did you mean \"gittins\"?"),
            ("gittins", &[], "the policy \"gittins\" needs the parameter \"price\""),
            (
                "gittins",
                &[("prize", 1.0)],
                "the policy \"gittins\" has no parameter \"prize\"; did you mean \"price\"?",
            ),
            (
                "ucb",
                &[("price", 1.0)],
                "the policy \"ucb\" has no parameter \"price\"; there are none",
            ),
            (
                "gittins",
                &[("price", 1.0), ("price", 2.0)],
                "the policy \"gittins\" got \"price\" twice",
            ),
            (
                "gittins",
                &[("price", 0.0)],
                "price of the policy \"gittins\": expected a positive number, got 0",
            ),
            (
                "gittins_decay",
                &[("price", 1.0), ("factor", 1.0)],
                "factor of the policy \"gittins_decay\": expected a number above 1, got 1",
            ),
            (
                "knowledge_gradient",
                &[("fantasies", 2.5)],
                "fantasies of the policy \"knowledge_gradient\": expected a whole number of at least 2, got 2.5",
            ),
        ];
        for (name, numbers, message) in cases {
            assert_eq!(Policy::named(name, numbers).unwrap_err().to_string(), *message);
        }
        for number in [f64::NAN, f64::INFINITY] {
            let error = Policy::named("log_eipc_cooled", &[("budget", number)]).unwrap_err();
            assert!(error.to_string().ends_with(&format!("a positive number, got {number}")));
        }
    }

    #[test]
    fn each_policy_is_made_and_no_two_are_the_same() {
        let mut made: Vec<Policy> = Vec::new();
        for entry in Policy::entries() {
            let needed = entry.keys.iter().filter(|key| key.needed).map(|key| (key.name, 3.0));
            let policy = Policy::named(entry.name, &Vec::from_iter(needed)).unwrap();
            assert!(!made.contains(&policy), "{}", entry.name);
            made.push(policy);
            assert!(entry.keys.iter().all(|key| key.usual.is_none_or(|n| key.shape.fits(n))));
        }
        let usual = Policy::named("max_value_entropy", &[]).unwrap();
        assert_eq!(usual, Policy::max_value_entropy(MaxValueEntropy::default()));
        let usual = Policy::named("estimation", &[]).unwrap();
        assert_eq!(usual, Policy::estimation(Estimation::default()));
    }
}
