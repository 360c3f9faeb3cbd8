//! A stopping rule with thresholds in units of the outcome does not depend on the unit.

use gittins::{Acquisition, Cost, Outcome, Study, Table};

use crate::support::panel::{Panel, every_rule};

/// The answers of every rule in a run. Its outcomes and its price are in units that are `scale`
/// times smaller.
fn fired(scale: f64, cost: Cost) -> Vec<Vec<bool>> {
    let lambda = 3e-3;
    let (panel, heard) = Panel::new(every_rule(scale, lambda));
    let table =
        Table::new(["x"], (0..80).map(|i| vec![f64::from(i) / 79.0]).collect::<Vec<_>>()).unwrap();
    let study = Study::minimize(table).cost(cost).policy(Acquisition::gittins(lambda * scale));
    let mut study = study.stop(panel).initial(3).seed(2).build().unwrap();
    for _ in 0..24 {
        let ask = study.ask().unwrap();
        let x = ask.numbers()[0];
        study
            .tell(ask.id(), Outcome::new(scale * ((7.0 * x).sin() + 0.5 * x)).cost(0.5 + x))
            .unwrap();
        study.verdict().unwrap();
    }
    let heard = heard.lock().unwrap();
    heard.iter().map(|row| row.iter().map(|said| said.fired).collect()).collect()
}

#[test]
fn outcomes_and_thresholds_scaled_alike_leave_every_verdict_as_it_was() {
    for cost in [Cost::uniform(1.5), Cost::known(|values| 0.5 + values[0]), Cost::learned()] {
        let one = fired(1.0, cost.clone());
        for column in 0..one[0].len() {
            let of_rule: Vec<bool> = one.iter().map(|row| row[column]).collect();
            assert!(
                of_rule.contains(&true) && of_rule.contains(&false),
                "rule {column}, {cost:?}: {of_rule:?}"
            );
        }
        for scale in [1024.0, 10.0, 1e-6] {
            assert_eq!(fired(scale, cost.clone()), one, "{scale}, {cost:?}");
        }
    }
}
