//! Pictures of studies that were run, and of records that no study would make.

mod chromium;
mod edges;
mod items;
mod mixtures;
mod page;
mod plain;
mod reading;
mod runs;
mod studies;
