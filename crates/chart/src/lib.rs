//! Charts as SVG: a frame with a title, a legend and axes, and what is drawn in it.
//!
//! A [`Plan`] says what a chart has around it, a [`Frame`] lays that out and takes curves, bands,
//! bars and marks, and a [`Panel`] is what comes of it: a file, or a part of a page. Colors follow
//! the reader's light or dark scheme. Numbers that are not finite are drawn at the edge, and text is
//! text whatever it contains.
//!
//! ```
//! use chart::{Along, Frame, Key, Plan, Scale, steps};
//! let best = [(1.0, 0.4), (2.0, 0.25), (4.0, 0.2)];
//! let x = ("seconds", Along::Numbers(Scale::exact(0.0, 4.0)));
//! let y = ("error", Along::Numbers(Scale::around(false, best.iter().map(|(_, error)| *error))));
//! let keys = vec![Key::line("line mark", "best so far")];
//! let mut frame = Frame::new(Plan { keys, ..Plan::new("Error against time", x, y) });
//! frame.curve("line mark", steps(best));
//! assert!(frame.close().svg().starts_with("<svg"));
//! ```
//!
//! # Classes
//! A class says the shape, and one the color: `line`, `thin`, `band`, `bar`, `zone`, with `broken`
//! for dashes; `ink`, `soft`, `plain`, `mark`, `better`, `bad`, and [`LOOKS`] to tell series apart.

mod frame;
mod key;
mod look;
mod marks;
pub mod number;
mod panel;
mod scale;
mod series;
mod side;
pub mod svg;
mod text;
mod triangle;

pub use frame::{Frame, Plan};
pub use key::Key;
pub use look::LOOKS;
pub use marks::{Marks, Sign};
pub use panel::{Panel, page_style};
pub use scale::Scale;
pub use series::steps;
pub use side::{Along, Side, Spot};
pub use text::{escaped, fitted, width};
pub use triangle::Triangle;
