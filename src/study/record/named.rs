//! Names and values as a map that keeps its order. For `serde(with)`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::math::number::Number;

/// A field under its name: a value, a number, or a number or none.
pub(crate) trait Value: Clone {
    /// The form in which it is written.
    type Written: Serialize + for<'de> Deserialize<'de>;

    /// As it is written.
    fn written(self) -> Self::Written;

    /// As it was read.
    fn read(written: Self::Written) -> Self;
}

impl Value for crate::data::Value {
    type Written = Self;

    fn written(self) -> Self {
        self
    }

    fn read(written: Self) -> Self {
        written
    }
}

impl Value for f64 {
    type Written = Number;

    fn written(self) -> Number {
        Number(self)
    }

    fn read(written: Number) -> Self {
        written.0
    }
}

impl Value for Option<f64> {
    type Written = Option<Number>;

    fn written(self) -> Option<Number> {
        self.map(Number)
    }

    fn read(written: Option<Number>) -> Self {
        written.map(|number| number.0)
    }
}

/// Writes a map.
pub(crate) fn serialize<S: Serializer, V: Value>(
    values: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value.clone().written())))
}

/// Reads a map.
pub(crate) fn deserialize<'de, D: Deserializer<'de>, V: Value>(
    deserializer: D,
) -> Result<Vec<(String, V)>, D::Error> {
    struct Values<V>(PhantomData<V>);
    impl<'de, V: Value> Visitor<'de> for Values<V> {
        type Value = Vec<(String, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map from names to values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut values = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, V::Written>()? {
                values.push((name, V::read(value)));
            }
            Ok(values)
        }
    }
    deserializer.deserialize_map(Values(PhantomData))
}
