//! The published values: medians over seeds at parts of the budget, read off the figures of Xie et
//! al. 2024 by their plotted paths, and numbers of other publications, printed or read off
//! pictures.
//!
//! `published.csv` has a line for each: the race, the method, the part of the budget, the value,
//! the quartiles if they are known, the number of seeds and the error of the reading (0.3 % of the
//! axis for a figure).

use std::sync::OnceLock;

use serde::Deserialize;

use crate::comparison::Published;

/// A line of the table.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    race: String,
    method: String,
    place: f64,
    value: f64,
    lower_quartile: Option<f64>,
    upper_quartile: Option<f64>,
    seeds: Option<usize>,
    reading: f64,
}

/// The published numbers of one race.
pub struct Numbers(&'static str);

/// The published numbers of a race; none if the name is empty or unknown.
pub fn of(race: &'static str) -> Numbers {
    Numbers(race)
}

impl Numbers {
    /// The values of a method in order of place.
    pub fn along(&self, method: &str) -> Vec<(f64, Published)> {
        let rows = rows().iter().filter(|row| row.race == self.0 && row.method == method);
        rows.map(|row| {
            let published = Published {
                value: row.value,
                quartiles: row.lower_quartile.zip(row.upper_quartile),
                seeds: row.seeds,
                reading: row.reading,
            };
            (row.place, published)
        })
        .collect()
    }
}

fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(include_str!("published.csv").as_bytes());
        reader
            .deserialize()
            .map(|row| row.expect("published.csv is part of the program and well formed"))
            .collect()
    })
}
