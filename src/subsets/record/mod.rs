//! A run with control sets as a table of numbers.

mod chosen;
mod point;

pub use chosen::Chosen;
pub use point::SubsetPoint;

use crate::study::{Record, Row};

/// One trial of a [`SubsetRecord`].
pub type SubsetRow = Row<SubsetPoint, Chosen>;

/// A run with control sets, one [`SubsetRow`] for each trial in the order in which trials were
/// asked for or imported.
///
/// It is read back as it was written.
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
/// use gittins::subsets::SubsetRecord;
/// use gittins::{Outcome, Space, ControlSets, Law, SubsetStudy};
///
/// let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
/// let sets = ControlSets::new().set("field", ["lime"], 1.0).law("rain", Law::normal(600.0, 120.0));
/// let mut study = SubsetStudy::maximize(space, sets).initial(2).seed(7).build()?;
/// for rain in [480.0, 610.0, 550.0, 700.0] {
///     let ask = study.ask()?;
///     let lime = ask.get("lime")?;
///     study.tell(ask.id(), &[lime, rain], Outcome::new(-(lime - 2.0).powi(2) + rain / 500.0))?;
/// }
/// let text = serde_json::to_string(&study.record()).unwrap();
/// let record: SubsetRecord = serde_json::from_str(&text).unwrap();
/// assert_eq!(record, study.record());
/// # Ok::<(), gittins::Error>(())
/// ```
pub type SubsetRecord = Record<SubsetPoint, Chosen>;
