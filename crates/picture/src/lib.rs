//! Pictures of a study: what its [`Record`](gittins::Record) says of outcomes, money, verdicts,
//! mixtures, parameters and predictions.
//!
//! A [`Picture`] draws a panel for each question as SVG, and all of them as one page of HTML. The
//! page has no script and loads nothing. Colors follow the reader's light or dark scheme. Numbers
//! that are not finite are drawn at the edge of a panel, and names are text whatever they contain.
//!
//! ```
//! use gittins::{Outcome, Space, Study};
//! use picture::Picture;
//! let space = Space::new().log_float("rate", 1e-4, 1.0);
//! let mut study = Study::minimize(space.clone()).initial(2).build()?;
//! for _ in 0..3 {
//!     let ask = study.ask()?;
//!     let rate: f64 = ask.get("rate")?;
//!     study.tell(ask.id(), Outcome::new(rate.ln().abs()))?;
//! }
//! let record = study.record();
//! let page = Picture::new(&record).title("a rate").space(&space).page();
//! assert!(page.contains("<svg") && page.contains("a rate"));
//! # Ok::<(), gittins::Error>(())
//! ```
//!
//! A [`RunsPicture`] draws a study of runs in stages, and a [`FrontPicture`] two objectives of any
//! trials. What is [`believed`] of means of items is there for tables, too.

mod axis;
mod believed;
mod columns;
mod course;
mod front;
mod importance;
mod items;
mod mixture;
mod page;
mod parameter;
mod picture;
mod prediction;
mod runs;
mod shown;
mod table;
mod trials;
mod verdict;

pub use axis::Axis;
pub use believed::{Believed, believed, foremost};
pub use chart::Panel;
pub use front::{FrontPicture, FrontTrial, Goal, Standing};
pub use picture::Picture;
pub use runs::RunsPicture;
