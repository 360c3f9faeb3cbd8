//! Which set to play: the two-stage selection, and schedules that explore cheap sets first.

/// The set that UCB-CVS plays (Tay, Foo, Urano, Leong, Low 2023, "Bayesian Optimization with
/// Cost-varying Variable Subsets", algorithm 1). It takes the sets whose value comes within
/// `relaxation` of the largest, of these the sets of the lowest cost, and of these the one with the
/// largest value, the first among equals. None without a set. A value that is no number loses
/// against all others.
///
/// ```
/// use gittins_papers::control::internals::select;
/// assert_eq!(select(&[2.0, 1.9], &[1.0, 0.5], 0.0), Some(0));
/// assert_eq!(select(&[2.0, 1.9], &[1.0, 0.5], 0.2), Some(1));
/// ```
pub fn select(values: &[f64], costs: &[f64], relaxation: f64) -> Option<usize> {
    let largest = values.iter().copied().filter(|value| !value.is_nan()).reduce(f64::max)?;
    let near = || (0..values.len()).filter(|&set| values[set] + relaxation >= largest);
    let cheapest = near().map(|set| costs[set]).reduce(f64::min)?;
    near()
        .filter(|&set| costs[set] == cheapest)
        .reduce(|best, set| if values[set] > values[best] { set } else { best })
}

/// How often each group of sets of one cost is played before all sets compete: explore, then commit
/// (section 4.3).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Plays {
    /// This number of times each: ETC-50 and ETC-100.
    Each(usize),
    /// As often as the money for this number of plays of the dearest set allows,
    /// `floor(plays * dearest / cost)`: ETC-Ada with 4, if the dearest costs 1.
    MostExpensive(f64),
}

/// Groups of sets of one cost, cheapest first, with the plays left. The dearest group has none: it
/// competes anyway.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    groups: Vec<(f64, usize)>,
}

impl Exploration {
    /// The exploration of sets with these costs.
    pub fn new(costs: &[f64], plays: Plays) -> Self {
        let mut different = costs.to_vec();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let dearest = different.pop().unwrap_or(0.0);
        let count = |cost: f64| match plays {
            Plays::Each(count) => count,
            // 4 / 0.1 is 40, and 4 / 0.8 is 5, whatever the rounding of the quotient.
            Plays::MostExpensive(plays) => {
                (plays * dearest / cost * (1.0 + 4.0 * f64::EPSILON)).floor() as usize
            }
        };
        Self { groups: different.into_iter().map(|cost| (cost, count(cost))).collect() }
    }

    /// The cost of the group whose turn it is, and how many plays it has left. None once all were
    /// explored.
    pub fn turn(&self) -> Option<(f64, usize)> {
        self.groups.iter().find(|(_, left)| *left > 0).copied()
    }

    /// Gives a play back to the group of this cost.
    pub(super) fn give_back(&mut self, cost: f64) {
        self.group(cost).into_iter().for_each(|left| *left += 1);
    }

    /// Uses up a play of the group of this cost, if it has one left.
    pub fn use_up(&mut self, cost: f64) {
        self.group(cost).into_iter().for_each(|left| *left = left.saturating_sub(1));
    }

    fn group(&mut self, cost: f64) -> Option<&mut usize> {
        self.groups.iter_mut().find(|(of, _)| *of == cost).map(|(_, left)| left)
    }
}
