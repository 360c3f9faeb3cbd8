//! Red wines with eleven chemical measurements, graded by tasters, and how well a model tells good
//! ones from others that it has not seen.

use linfa::prelude::*;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// Wines: a row of measurements each, and whether it is good.
pub type Wines = DatasetBase<Array2<f64>, Array1<bool>>;

/// All wines, in the order of the file. A wine is good if the tasters' median grade is above
/// `grade`: of the 1599 wines 855 are above 5 and 217 above 6.
pub fn better_than(grade: usize) -> Wines {
    linfa_datasets::winequality().map_targets(|given| *given > grade)
}

/// Shifts and scales each measurement to a mean of 0 and a deviation of 1 over all wines.
pub fn standardize(wines: &mut Wines) {
    for mut column in wines.records.columns_mut() {
        let (mean, deviation) = (column.mean().unwrap_or(0.0), column.std(0.0));
        column.mapv_inplace(|value| (value - mean) / deviation);
    }
}

/// Some of the measurements of each wine.
pub fn choose(wines: &Wines, columns: &[usize]) -> Wines {
    Wines::new(wines.records.select(Axis(1), columns), wines.targets.clone())
}

/// Wines divided into equal parts, each of which is left out once.
pub struct Folds(Vec<(Wines, Wines)>);

impl Folds {
    /// Parts are contiguous, because repeated and similar wines stand close to each other in the
    /// file: shuffling would put twins on both sides of a split and flatter a narrow kernel. The
    /// few wines beyond equal parts are only used to learn.
    pub fn new(wines: &Wines, parts: usize) -> Self {
        Self(wines.fold(parts))
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.0.len()
    }

    /// The number of wines that are judged.
    pub fn count(&self) -> usize {
        self.0.iter().map(|(_, left_out)| left_out.nsamples()).sum()
    }

    /// For each part, learns from all others and judges the part. `predict` takes the wines to learn
    /// from and the measurements to judge, and says which of these are good.
    pub fn judge<E>(
        &self,
        predict: impl Fn(&Wines, &Array2<f64>) -> Result<Array1<bool>, E>,
    ) -> Result<Mistakes, E> {
        (0..self.parts()).try_fold(Mistakes::default(), |sum, part| {
            Ok(sum.and(self.judge_part(part, &predict)?))
        })
    }

    /// Learns from all parts but one, and judges that one, as [`judge`](Self::judge) does with each.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn judge_part<E>(
        &self,
        part: usize,
        predict: impl Fn(&Wines, &Array2<f64>) -> Result<Array1<bool>, E>,
    ) -> Result<Mistakes, E> {
        let (training, left_out) = &self.0[part];
        let mut mistakes = Mistakes::default();
        let predicted = predict(training, left_out.records())?;
        for (&guess, &good) in predicted.iter().zip(left_out.targets()) {
            let (wrong, of) = match good {
                true => (&mut mistakes.missed, &mut mistakes.good),
                false => (&mut mistakes.praised, &mut mistakes.others),
            };
            *wrong += usize::from(guess != good);
            *of += 1;
        }
        Ok(mistakes)
    }
}

/// How many wines were put into the wrong class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mistakes {
    /// Good wines that were judged.
    pub good: usize,
    /// Those of them that were not recognized.
    pub missed: usize,
    /// Other wines that were judged.
    pub others: usize,
    /// Those of them that were taken for good.
    pub praised: usize,
}

impl Mistakes {
    /// These and others.
    fn and(self, other: Self) -> Self {
        Self {
            good: self.good + other.good,
            missed: self.missed + other.missed,
            others: self.others + other.others,
            praised: self.praised + other.praised,
        }
    }

    /// The share of all wines in the wrong class.
    pub fn share(&self) -> f64 {
        (self.missed + self.praised) as f64 / (self.good + self.others) as f64
    }

    /// The mean of the shares of both classes in the wrong class. Guessing gives 1/2, however rare
    /// good wines are.
    pub fn balanced(&self) -> f64 {
        0.5 * (self.missed as f64 / self.good as f64 + self.praised as f64 / self.others as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn wines_are_graded_as_documented() {
        let good = |grade| better_than(grade).targets.iter().filter(|good| **good).count();
        assert_eq!((better_than(5).nsamples(), good(5), good(6)), (1599, 855, 217));
    }

    #[test]
    fn every_part_is_judged_once_by_what_was_learned_from_the_others() {
        let folds = Folds::new(&better_than(6), 8);
        assert_eq!((folds.parts(), folds.count()), (8, 1592));
        // Whoever remembers a wine by all its measurements knows twins alone.
        let known = |training: &Wines, left_out: &Array2<f64>| {
            let known = |wine| training.records.rows().into_iter().any(|other| other == wine);
            Ok::<_, Infallible>(left_out.rows().into_iter().map(known).collect())
        };
        let Ok(mistakes) = folds.judge(known);
        assert_eq!(mistakes.good + mistakes.others, 1592);
        assert!(0 < mistakes.praised && mistakes.praised < mistakes.others);
    }

    #[test]
    fn guessing_has_a_balanced_error_of_a_half() {
        let folds = Folds::new(&better_than(6), 5);
        for guess in [true, false] {
            let Ok(mistakes) = folds.judge(|_, left_out| {
                Ok::<_, Infallible>(Array1::from_elem(left_out.nrows(), guess))
            });
            assert_eq!(mistakes.balanced(), 0.5);
            let wrong = if guess { mistakes.others } else { mistakes.good };
            assert_eq!(mistakes.share(), wrong as f64 / 1595.0);
        }
    }

    #[test]
    fn measurements_are_standardized_and_chosen() {
        let mut wines = choose(&better_than(5), &[10, 0]);
        assert_eq!(wines.records[[0, 0]], 9.4);
        assert_eq!(wines.records[[0, 1]], 7.4);
        standardize(&mut wines);
        for column in wines.records.columns() {
            // A sum of 1599 terms of at most some 6 rounds by less than 1599^2 * 6 * 2^-53 = 2e-9.
            assert!(column.sum().abs() < 1e-8 && (column.std(0.0) - 1.0).abs() < 1e-8);
        }
    }
}
