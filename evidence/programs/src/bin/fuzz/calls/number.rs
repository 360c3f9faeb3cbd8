//! A number that may be none, as text.

use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}
