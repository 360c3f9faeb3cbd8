//! Structs of settings, from the table of their keys.

/// Makes a struct whose fields are all optional from lines `/// what it means` and
/// `name: Type = shape`, with the table of its keys and its form as data. A key that is not in the
/// table is an error with the nearest one that is, and every error names its key. A type that
/// stands behind `from` is read in its place.
macro_rules! keyed {
    (
        $(#[$meta:meta])*
        $name:ident { $(
            $(#[doc = $note:literal])+
            $field:ident: $type:ty $(, from $form:ty)? = $shape:expr $(, $needed:ident)?;
        )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub struct $name { $(
            $(#[doc = $note])+
            #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
            pub $field: Option<$type>,
        )* }

        impl $name {
            /// The keys, with what may stand there.
            #[doc(hidden)]
            pub const KEYS: &'static [$crate::named::Key] = &[$(
                $crate::named::Key {
                    name: stringify!($field),
                    shape: $shape,
                    needed: keyed!(@needed $($needed)?),
                    usual: None,
                    note: concat!($($note),+).trim_ascii(),
                },
            )*];
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(data: D) -> Result<Self, D::Error> {
                struct Reader;
                impl<'de> serde::de::Visitor<'de> for Reader {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a table of settings")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        use serde::de::Error as _;
                        let mut read = $name::default();
                        while let Some(key) = map.next_key::<String>()? {
                            let wrong = |error| A::Error::custom(format_args!("{key}: {error}"));
                            match key.as_str() {
                                $(stringify!($field) => {
                                    let given: Option<keyed!(@form $type $(, $form)?)> =
                                        map.next_value().map_err(wrong)?;
                                    read.$field = given.map(Into::into);
                                })*
                                _ => {
                                    let known = $name::KEYS.iter().map(|key| key.name);
                                    let known = $crate::named::hint(&key, known);
                                    let message = format_args!("unknown key {key:?}; {known}");
                                    return Err(A::Error::custom(message));
                                }
                            }
                        }
                        Ok(read)
                    }
                }
                data.deserialize_map(Reader)
            }
        }
    };
    (@needed) => { false };
    (@needed needed) => { true };
    (@form $type:ty) => { $type };
    (@form $type:ty, $form:ty) => { $form };
}

pub(crate) use keyed;
