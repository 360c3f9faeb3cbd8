//! Hypervolumes and expected hypervolume improvements against exact counting, mpmath and `BoTorch`.

use gittins::internals::{Front, FrontScratch, LOG_ZERO};

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;
use crate::support::tolerance::front::{PEER_VOLUME, log_volume, volume_slope};

/// The generator of the script, and of random fronts here.
struct Draws(u64);

impl Draws {
    /// In `[0, 1)`.
    fn draw(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * 2f64.powi(-53)
    }

    fn draws(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.draw()).collect()
    }
}

/// The volume below the points, by inclusion and exclusion. It is exact for small whole numbers.
fn counted(reference: &[f64], points: &[Vec<f64>]) -> f64 {
    (1..1_u32 << points.len())
        .map(|set| {
            let chosen = (0..points.len()).filter(|i| set >> i & 1 == 1);
            let values = |k: usize| chosen.clone().map(move |i| points[i][k]);
            let lowest = |k: usize| values(k).fold(f64::INFINITY, f64::min);
            let volume: f64 =
                (0..reference.len()).map(|k| (lowest(k) - reference[k]).max(0.0)).product();
            if set.count_ones() % 2 == 1 { volume } else { -volume }
        })
        .sum::<f64>()
        // A sum of nothing is minus zero.
        + 0.0
}

#[test]
fn volumes_of_fronts_are_those_by_inclusion_and_exclusion() {
    let mut draws = Draws(71);
    for trial in 0..600 {
        let (m, n) = (1 + trial % 3, trial % 11);
        // Few values make many ties, and some points that are not better than the reference point.
        let most = [4.0, 9.0, 40.0][trial / 3 % 3];
        let mut point = || (0..m).map(|_| (most * draws.draw()).floor()).collect::<Vec<f64>>();
        let (points, other) = ((0..n).map(|_| point()).collect::<Vec<_>>(), point());
        let reference = vec![1.0; m];
        let front = Front::new(reference.clone(), &points).unwrap();
        let volume = counted(&reference, &points);
        assert_eq!(front.hypervolume(), volume, "{points:?}");
        let with = [points.clone(), vec![other.clone()]].concat();
        let gain = counted(&reference, &with) - volume;
        assert_eq!(front.improvement(&other).unwrap(), gain, "{other:?} beside {points:?}");
    }
}

#[test]
fn expected_improvements_and_their_slopes_match_the_table() {
    let mut scratch = FrontScratch::default();
    for one in table("front").as_array().unwrap() {
        let points: Vec<Vec<f64>> = one["points"].as_array().unwrap().iter().map(numbers).collect();
        let cells = Front::new(numbers(&one["reference"]), &points).unwrap().cells();
        let m = cells.objectives();
        for row in one["rows"].as_array().unwrap() {
            let (mean, sd, value) =
                (numbers(&row["mean"]), numbers(&row["sd"]), number(&row["value"]));
            let score = cells.log_expected_improvement(&mean, &sd, &mut scratch);
            if value == f64::NEG_INFINITY {
                assert_eq!((score.value, score.d_mean, score.d_sd), (LOG_ZERO, [0.0; 3], [0.0; 3]));
                continue;
            }
            let logs = number(&row["logs"]);
            assert_within(row, score.value, value, log_volume(m, logs));
            for (got, slopes, terms) in
                [(score.d_mean, "d_mean", "terms_mean"), (score.d_sd, "d_sd", "terms_sd")]
            {
                let (slopes, terms) = (numbers(&row[slopes]), numbers(&row[terms]));
                for k in 0..m {
                    let what = format!("objective {k} of {} points, {row}", points.len());
                    // A known objective has no slope by its deviation.
                    let scale = if sd[k] > 0.0 { sd[k] } else { 1.0 };
                    assert_within(what, got[k], slopes[k], volume_slope(m, logs, terms[k], scale));
                }
                assert!(got[m..].iter().all(|slope| *slope == 0.0));
            }
        }
    }
}

#[test]
fn expected_improvements_of_random_fronts_match_botorch() {
    let (mut draws, mut scratch, mut compared) = (Draws(20_190_801), FrontScratch::default(), 0);
    for (index, row) in table("front_peer").as_array().unwrap().iter().enumerate() {
        let (m, n) = (2 + index % 4 / 2, 1 + (30.0 * draws.draw()) as usize);
        let points: Vec<Vec<f64>> = (0..n)
            .map(|_| {
                let point = draws.draws(m);
                let sum = point.iter().fold(0.0, |sum, value| sum + value);
                if index % 2 == 0 { point.iter().map(|value| value / sum).collect() } else { point }
            })
            .collect();
        let mean: Vec<f64> = draws.draws(m).iter().map(|draw| 1.2 * draw).collect();
        let sd: Vec<f64> = draws.draws(m).iter().map(|draw| 0.1 + draw).collect();
        let front = Front::new(vec![0.05; m], &points).unwrap();
        // BoTorch refuses a front without points.
        if front.points().len() == 0 {
            assert!(row.is_null(), "{index}");
            continue;
        }
        let row = numbers(row);
        assert_eq!(row[0], n as f64, "the same draws at {index}");
        assert_within(index, front.hypervolume(), row[1], PEER_VOLUME * row[1]);
        let score = front.cells().log_expected_improvement(&mean, &sd, &mut scratch);
        assert_within(index, score.value.exp(), row[2], PEER_VOLUME * row[2]);
        compared += 1;
    }
    assert!(compared > 190, "{compared}");
}
