//! Two instances of independent arms with known costs. They break rules that look one step ahead
//! (Astudillo et al. 2021, theorem 1). The budget is `1 + delta`. One arm is known to give 0. A
//! dear arm `N(0, 1)` costs the whole budget. Cheap arms cost `eps` each. In A the cheap arms have
//! the deviation `eps`, and improvement per cost buys them. In B they have the deviation `1 - eps`,
//! and improvement buys the dear arm.

use gittins::acquisition::normals;
use gittins::acquisition::{Belief, FantasyTree, PointBeliefCost};
use gittins::data::PointCost;
use gittins::internals::affordable;
use gittins::internals::normal::{cdf, inverse_cdf, pdf};
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, CostForm, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Points,
    Pointwise, Posterior, Result, Scores,
};
use serde_json::Value;

use crate::support::golden::{number, table};
use crate::support::tolerance::lookahead::{FAR_APART, OF_ARMS};
use crate::support::tolerance::{assert_within, sampled_mean, stratified_normals};

const IMPROVEMENT: Acquisition = Acquisition::Pointwise(Pointwise::ExpectedImprovement);
const PER_COST: Acquisition = Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
    exponent: 1.0,
    form: CostForm::Expected,
});

/// An arm that was not pulled yet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Arm {
    sd: f64,
    cost: f64,
}

/// A row of the table, with the arms of both instances.
struct Instance {
    eps: f64,
    budget: f64,
    cheap_count: usize,
    row: Value,
}

impl Instance {
    fn all() -> Vec<Self> {
        let table = table("lookahead");
        let of = |row: &Value| Self {
            eps: number(&row["eps"]),
            budget: number(&row["budget"]),
            cheap_count: row["K"].as_u64().unwrap() as usize,
            row: row.clone(),
        };
        table["counterexamples"].as_array().unwrap().iter().map(of).collect()
    }

    fn dear(&self) -> Arm {
        Arm { sd: 1.0, cost: self.budget }
    }

    /// The cheap arm of A and the cheap arm of B.
    fn cheap(&self) -> [Arm; 2] {
        [self.eps, 1.0 - self.eps].map(|sd| Arm { sd, cost: self.eps })
    }

    fn expected(&self, what: &str) -> f64 {
        number(&self.row[what])
    }
}

/// The score of an arm with mean 0.
fn score(acquisition: &Acquisition, arm: Arm, best: f64) -> f64 {
    acquisition
        .pointwise()
        .unwrap()
        .score(best, &Belief { mean: 0.0, sd: arm.sd, cost: PointBeliefCost::Known(arm.cost) })
        .value
}

fn one_step(arm: Arm, best: f64, money: f64) -> f64 {
    score(&IMPROVEMENT, arm, best) * affordable(PointBeliefCost::Known(arm.cost), money).value
}

/// The recursion over arms for two steps: this arm now, and the best of the others afterwards.
fn two_steps(arm: Arm, others: &[Arm], money: f64) -> f64 {
    let then = |outcome: f64| {
        let values =
            others.iter().map(|other| one_step(*other, outcome.max(0.0), money - arm.cost));
        values.fold(0.0, f64::max)
    };
    // The value of the second step changes its form at the point at which the outcome passes the
    // best.
    let after = simpson(-10.0, 0.0, |z| pdf(z) * then(arm.sd * z))
        + simpson(0.0, 10.0, |z| pdf(z) * then(arm.sd * z));
    one_step(arm, 0.0, money) + if arm.cost <= money { after } else { 0.0 }
}

fn simpson(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let panels = 2000;
    let h = (high - low) / f64::from(panels);
    let weight = |i: i32| {
        if i == 0 || i == panels {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    (0..=panels).map(|i| weight(i) * f(low + f64::from(i) * h)).sum::<f64>() * h / 3.0
}

/// `E max(0, Z_1 .. Z_n)`.
fn expected_maximum(n: usize) -> f64 {
    simpson(0.0, 10.0, |z| 1.0 - cdf(z).powi(n as i32))
}

/// Pulls the best affordable arm until no arm is affordable. Returns the best outcome and the
/// number of cheap arms.
fn run(rule: &Acquisition, instance: &Instance, cheap: Arm, outcomes: &[f64]) -> (f64, usize) {
    let (mut best, mut money, mut pulled, mut dear): (f64, f64, usize, bool) =
        (0.0, instance.budget, 0, true);
    loop {
        let worth =
            |arm: Arm, left: bool| (left && arm.cost <= money).then(|| score(rule, arm, best));
        let pull = match (worth(cheap, pulled < instance.cheap_count), worth(instance.dear(), dear))
        {
            (None, None) => return (best, pulled),
            (of_cheap, of_dear) => of_cheap > of_dear,
        };
        let arm = if pull { cheap } else { instance.dear() };
        best = best.max(arm.sd * outcomes[pulled]);
        money -= arm.cost;
        if pull { pulled += 1 } else { dear = false }
    }
}

#[test]
fn expected_maxima_of_normals() {
    for (n, expected) in table("lookahead")["expected_maximum"].as_object().unwrap() {
        assert_within(
            format!("of {n}"),
            expected_maximum(n.parse().unwrap()),
            number(expected),
            OF_ARMS,
        );
    }
}

#[test]
fn rules_that_look_one_step_ahead_end_as_predicted() {
    for instance in Instance::all() {
        let (eps, budget, dear) = (instance.eps, instance.budget, instance.dear());
        let [a, b] = instance.cheap();
        let n = instance.row["N"].as_u64().unwrap() as usize;
        let [maximum, plus] = ["e_max_N", "e_plus"].map(|what| instance.expected(what));
        assert_within("E_N", expected_maximum(n), maximum, OF_ARMS);
        // In A improvement per cost takes all the cheap arms that it can pay for. Each of them
        // leaves too little for the dear arm.
        assert!(score(&PER_COST, a, 0.0) > score(&PER_COST, dear, 0.0));
        assert!(one_step(dear, 0.0, budget) > one_step(a, 0.0, budget));
        // In B improvement takes the dear arm, with and without regard to the budget.
        assert!(
            score(&IMPROVEMENT, dear, 0.0) > score(&IMPROVEMENT, b, 0.0)
                && one_step(dear, 0.0, budget) > one_step(b, 0.0, budget)
        );
        let draws = 300;
        let sequences = Sobol::new(instance.cheap_count.max(n), 5).points(0, draws);
        let mut sums = [0.0; 2];
        for row in sequences.rows() {
            let outcomes: Vec<f64> = row.iter().map(|u| inverse_cdf(*u)).collect();
            let (poor, pulled) = run(&PER_COST, &instance, a, &outcomes);
            assert_eq!(pulled, n);
            let (rich, pulled) = run(&IMPROVEMENT, &instance, b, &outcomes);
            assert_eq!((rich, pulled), (outcomes[0].max(0.0), 0));
            sums[0] += poor;
            sums[1] += outcomes[..n].iter().fold(0.0, |best: f64, z| best.max(b.sd * z));
        }
        let of_draws = |sd: f64| sd * sampled_mean(1.0, draws as u64);
        // The sequence of arms does not depend on their outcomes. So the value is the expected
        // maximum of that number of arms.
        let values = [a.sd * expected_maximum(n), b.sd * expected_maximum(n)];
        for (which, name) in ["part1_value_ei_puc", "part2_value_low_arms"].into_iter().enumerate()
        {
            assert_within(
                format!("{name} at {eps}"),
                values[which],
                instance.expected(name),
                OF_ARMS,
            );
            let mean = sums[which] / draws as f64;
            assert_within(
                format!("{name} at {eps}, on draws"),
                mean,
                values[which],
                of_draws([a, b][which].sd),
            );
        }
        for (name, value) in [("part1_value_high_arm", plus), ("part2_value_ei", plus)] {
            assert_within(name, score(&IMPROVEMENT, dear, 0.0), value, OF_ARMS);
            assert_within(name, value, instance.expected(name), OF_ARMS);
        }
        let [lost, gained] = [plus / values[0], values[1] / plus];
        assert_within("A", lost, instance.expected("part1_ratio"), OF_ARMS * lost / values[0]);
        assert_within("B", gained, instance.expected("part2_ratio"), OF_ARMS * gained);
        assert!(lost > 1.0 && gained > 2.0);
    }
    // The loss grows as the cheap arms get smaller.
    let ratios = |what| {
        Instance::all()[..5].iter().map(|instance| instance.expected(what)).collect::<Vec<_>>()
    };
    assert!(
        ["part1_ratio", "part2_ratio"]
            .into_iter()
            .all(|what| ratios(what).windows(2).all(|pair| pair[0] < pair[1]))
    );
}

#[test]
fn two_steps_see_what_one_does_not() {
    for instance in Instance::all() {
        let (eps, budget, dear) = (instance.eps, instance.budget, instance.dear());
        let [a, b] = instance.cheap();
        let of_dear = two_steps(dear, &[b, b], budget);
        let of_cheap = two_steps(b, &[b, dear], budget);
        assert_within(
            format!("dear at {eps}"),
            of_dear,
            instance.expected("part2_q2_high"),
            OF_ARMS,
        );
        assert_within(
            format!("cheap at {eps}"),
            of_cheap,
            instance.expected("part2_q2_low"),
            OF_ARMS,
        );
        assert!(of_cheap > of_dear);
        assert!(two_steps(dear, &[a, a], budget) > two_steps(a, &[a, dear], budget));
        // The dear arm costs exactly the budget. A smaller budget excludes it, and this changes
        // both values.
        let less = budget.next_down();
        assert_eq!((one_step(dear, 0.0, less), two_steps(dear, &[b, b], less)), (0.0, 0.0));
        assert!(one_step(b, 0.0, less) > 0.0);
    }
}

/// The arms as points of one dimension. They are so many lengthscales apart that they are
/// independent. A stationary kernel gives all points the same variance. So a datum of 0 lies beside
/// each cheap arm, at a correlation of `sqrt(1 - sd^2)`, and leaves the arm the mean 0 and the
/// deviation `sd`.
struct Line {
    posterior: Posterior,
    dear: f64,
    cheap: [f64; 3],
    costs: [f64; 2],
}

impl Line {
    fn new(instance: &Instance, cheap: Arm) -> Self {
        let lengthscale = 1e-3;
        let places = [0.1, 0.3, 0.5];
        let beside = lengthscale * (-(1.0 - cheap.sd * cheap.sd).ln()).sqrt();
        let told: Vec<f64> = places.iter().map(|place| place + beside).chain([0.7]).collect();
        let hyperparameters = Hyperparameters {
            lengthscales: vec![lengthscale],
            outputscale: 1.0,
            noise: 0.0,
            mean: 0.0,
        };
        let inputs = Points::from_rows(1, told).unwrap();
        let posterior =
            Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &[0.0; 4]).unwrap();
        Self { posterior, dear: 0.9, cheap: places, costs: [instance.budget, instance.eps] }
    }

    fn values(&self, acquisition: &Acquisition, row: &[f64]) -> f64 {
        let points = Points::from_rows(row.len(), row.to_vec()).unwrap();
        let mut scores = Scores::default();
        let job = Job::new(&self.posterior, JobCost::Known(self), acquisition, 0.0);
        Cpu.evaluate(&job, &points, &mut scores).unwrap();
        scores.value[0]
    }

    /// The value of a tree with this arm now and the best of the others afterwards, for each
    /// outcome.
    fn plan(&self, tree: &FantasyTree, budget: f64, now: f64) -> f64 {
        let acquisition = Acquisition::multi_step_improvement(tree.clone(), Some(budget));
        let then =
            [self.dear, self.cheap[1], self.cheap[2]].into_iter().filter(|then| *then != now);
        let row = |then: f64| {
            (0..tree.nodes()).map(|node| if node == 0 { now } else { then }).collect::<Vec<_>>()
        };
        then.map(|then| self.values(&acquisition, &row(then))).fold(0.0, f64::max)
    }
}

impl PointCost for Line {
    fn cost(&self, unit: &[f64], _: Option<&mut [f64]>) -> Result<f64> {
        Ok(self.costs[usize::from(unit[0] < 0.8)])
    }
}

#[test]
fn trees_over_arms_far_apart_value_two_steps() {
    let root = FantasyTree::new(&[], 0).unwrap();
    let count = 256;
    let tree =
        FantasyTree::with_samples(&[normals(count, 3).into_iter().map(|z| [z, 0.0]).collect()])
            .unwrap();
    for instance in Instance::all() {
        let (budget, dear) = (instance.budget, instance.dear());
        for (which, cheap) in instance.cheap().into_iter().enumerate() {
            let line = Line::new(&instance, cheap);
            let what = format!("{} at {}", ["A", "B"][which], instance.eps);
            let [at, all] = [line.cheap[0], line.dear];
            for (place, arm) in [(at, cheap), (all, dear)] {
                for rule in [&IMPROVEMENT, &PER_COST] {
                    let expected = score(rule, arm, 0.0);
                    assert_within(
                        &what,
                        line.values(rule, &[place]),
                        expected,
                        FAR_APART * expected,
                    );
                }
                let one = Acquisition::multi_step_improvement(root.clone(), Some(budget));
                let expected = one_step(arm, 0.0, budget);
                assert_within(&what, line.values(&one, &[place]), expected, FAR_APART * expected);
            }
            let values = [line.plan(&tree, budget, at), line.plan(&tree, budget, all)];
            let expected = two_steps(cheap, &[cheap, dear], budget);
            assert_within(&what, values[0], expected, cheap.sd * stratified_normals(count));
            assert_within(&what, values[1], score(&IMPROVEMENT, dear, 0.0), FAR_APART);
            // In both instances the tree takes the right arm first. One step does so in A alone.
            assert_eq!(values[0] > values[1], which == 1, "{what}: {values:?}");
            // The boundary is sharp: with slightly less money the dear arm is worth nothing, at any
            // depth.
            assert_eq!(line.plan(&tree, budget.next_down(), all), 0.0);
        }
    }
}
