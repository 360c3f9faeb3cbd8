//! A key, and what may stand at it.

/// A key of a table of settings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What may stand there.
    pub shape: Shape,
    /// Whether it must be there.
    pub needed: bool,
    /// The number that holds unless it is there.
    pub usual: Option<f64>,
    /// What it means.
    pub note: &'static str,
}

impl Key {
    /// A number that must be there.
    pub const fn must(name: &'static str, shape: Shape, note: &'static str) -> Self {
        Self { name, shape, needed: true, usual: None, note }
    }

    /// A number that may be there.
    pub const fn may(name: &'static str, shape: Shape, note: &'static str) -> Self {
        Self { name, shape, needed: false, usual: None, note }
    }

    /// A number with a default.
    pub const fn or(name: &'static str, shape: Shape, usual: f64, note: &'static str) -> Self {
        Self { name, shape, needed: false, usual: Some(usual), note }
    }
}

/// What may stand at a key.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Shape {
    /// A finite number.
    Number,
    /// A finite number above this one.
    Above(f64),
    /// A finite number of at least this.
    AtLeast(f64),
    /// A number above 0 and below 1.
    Share,
    /// A whole number.
    Whole,
    /// A whole number of at least this.
    Count(u32),
    /// `true` or `false`.
    Flag,
    /// A text that is not empty.
    Text,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A list, each member of this shape.
    List(&'static Shape),
    /// A table of names that are up to the user, with this at each.
    Named(&'static Shape),
    /// A table with these keys.
    Keys(&'static [Key]),
    /// One of several shapes.
    Either(&'static [Shape]),
    /// A policy by its name: [`Policy::entries`](crate::Policy::entries).
    Policy,
    /// A stopping rule by its name: [`NamedRule::entries`](crate::stop::NamedRule::entries).
    Rule,
    /// A space, which has a form of its own in each format.
    Space,
    /// The value of a parameter: a number, a text or a flag.
    Value,
    /// The values of a point.
    Values,
}

impl Shape {
    /// Whether a number fits. Only shapes of numbers have one that does.
    pub fn fits(&self, number: f64) -> bool {
        number.is_finite()
            && match *self {
                Self::Number => true,
                Self::Above(bound) => number > bound,
                Self::AtLeast(bound) => number >= bound,
                Self::Share => number > 0.0 && number < 1.0,
                Self::Whole => number.fract() == 0.0,
                Self::Count(least) => number.fract() == 0.0 && number >= f64::from(least),
                _ => false,
            }
    }

    /// What is expected, in words.
    pub fn words(&self) -> String {
        match *self {
            Self::Number => "a finite number".to_owned(),
            Self::Above(0.0) => "a positive number".to_owned(),
            Self::Above(bound) => format!("a number above {bound}"),
            Self::AtLeast(bound) => format!("a number of at least {bound}"),
            Self::Share => "a number between 0 and 1".to_owned(),
            Self::Whole => "a whole number".to_owned(),
            Self::Count(least) => format!("a whole number of at least {least}"),
            Self::Flag => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Value => "a number, a text, true or false".to_owned(),
            Self::OneOf(names) => {
                let names = names.iter().map(|name| format!("{name:?}"));
                Vec::from_iter(names).join(" or ")
            }
            Self::List(_) | Self::Values => "a list".to_owned(),
            Self::Named(_) | Self::Keys(_) | Self::Space => "a table".to_owned(),
            Self::Either(shapes) => Vec::from_iter(shapes.iter().map(Self::words)).join(", or "),
            Self::Policy => "the name of a policy, or a table with its name".to_owned(),
            Self::Rule => {
                "the name of a stopping rule, a table with its name, or a list of them".to_owned()
            }
        }
    }
}
