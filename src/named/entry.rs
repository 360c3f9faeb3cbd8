//! Things that are made from a name and numbers.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::named::{Key, hint};

/// A line of a table of things that have names.
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(bound = ""))]
pub struct Entry<T: 'static> {
    /// Its name.
    pub name: &'static str,
    /// The numbers that it is made from.
    pub keys: &'static [Key],
    /// What it is, for a page of help.
    pub note: &'static str,
    /// Makes it from the numbers in the order of its keys; one that is not given and has no default
    /// is NaN.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub make: fn(&[f64]) -> T,
}

impl<T> Entry<T> {
    /// A line of a table.
    pub const fn new(
        name: &'static str,
        keys: &'static [Key],
        note: &'static str,
        make: fn(&[f64]) -> T,
    ) -> Self {
        Self { name, keys, note, make }
    }
}

impl<T> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("keys", &self.keys).finish()
    }
}

/// The name of a thing and numbers: `"log_ei"`, or `{"name": "gittins", "price": 1e-4}` as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The numbers by their names.
    pub numbers: Vec<(String, f64)>,
}

impl Named {
    /// A name with numbers.
    pub fn new(name: impl Into<String>, numbers: &[(&str, f64)]) -> Self {
        let numbers = numbers.iter().map(|&(name, number)| (name.to_owned(), number)).collect();
        Self { name: name.into(), numbers }
    }

    /// The thing of a table that is meant, and its numbers in the order of its keys and of those
    /// that all things of the table `share`.
    pub(crate) fn find<T>(
        &self,
        what: &str,
        entries: &'static [Entry<T>],
        share: &'static [Key],
    ) -> Result<(&'static Entry<T>, Vec<f64>)> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidSetting, message);
        let Self { name, numbers } = self;
        let entry = entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known = hint(name, entries.iter().map(|entry| entry.name));
            invalid(format!("no {what} is named {name:?}; {known}"))
        })?;
        let keys = || entry.keys.iter().chain(share);
        for (index, (given, _)) in numbers.iter().enumerate() {
            if !keys().any(|key| key.name == given) {
                let known = hint(given, keys().map(|key| key.name));
                let message = format!("the {what} {name:?} has no parameter {given:?}; {known}");
                return Err(invalid(message));
            }
            if numbers[..index].iter().any(|(before, _)| before == given) {
                return Err(invalid(format!("the {what} {name:?} got {given:?} twice")));
            }
        }
        let number = |key: &Key| match numbers.iter().find(|(given, _)| given == key.name) {
            Some((_, number)) if key.shape.fits(*number) => Ok(*number),
            Some((given, number)) => Err(invalid(format!(
                "{given} of the {what} {name:?}: expected {}, got {number}",
                key.shape.words()
            ))),
            None if key.needed => {
                Err(invalid(format!("the {what} {name:?} needs the parameter {:?}", key.name)))
            }
            None => Ok(key.usual.unwrap_or(f64::NAN)),
        };
        Ok((entry, keys().map(number).collect::<Result<_>>()?))
    }
}

#[cfg(feature = "serde")]
mod data {
    use serde::de::{Error, MapAccess, Visitor};
    use serde::ser::SerializeMap;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::*;

    impl Serialize for Named {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.numbers.is_empty() {
                return serializer.serialize_str(&self.name);
            }
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("name", &self.name)?;
            for (name, number) in &self.numbers {
                map.serialize_entry(name, number)?;
            }
            map.end()
        }
    }

    impl Named {
        /// Reads a table whose first key was taken.
        pub(crate) fn of_map<'de, A: MapAccess<'de>>(
            first: Option<String>,
            mut map: A,
        ) -> Result<Self, A::Error> {
            let (mut name, mut numbers, mut next) = (None, Vec::new(), first);
            while let Some(key) = next {
                let wrong = |error| A::Error::custom(format_args!("{key}: {error}"));
                match key.as_str() {
                    "name" => name = Some(map.next_value().map_err(wrong)?),
                    _ => {
                        let number = map.next_value().map_err(wrong)?;
                        numbers.push((key, number));
                    }
                }
                next = map.next_key()?;
            }
            let name = name.ok_or_else(|| A::Error::missing_field("name"))?;
            Ok(Self { name, numbers })
        }
    }

    impl<'de> Deserialize<'de> for Named {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Reader;
            impl<'de> Visitor<'de> for Reader {
                type Value = Named;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a name, or a table with a name and numbers")
                }

                fn visit_str<E: Error>(self, name: &str) -> Result<Named, E> {
                    Ok(Named::new(name, &[]))
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
                    Named::of_map(map.next_key()?, map)
                }
            }
            deserializer.deserialize_any(Reader)
        }
    }

    type Result<T, E> = std::result::Result<T, E>;
}
