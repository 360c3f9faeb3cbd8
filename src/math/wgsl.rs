//! Enumerations whose numbers the shaders know by name.
//!
//! [`wgsl_enum!`] makes a Rust enumeration and the names of its WGSL constants from one list.
//! [`constants`] writes these constants as WGSL. [`has_cases`] says at compile time whether a
//! shader's `switch` has a case for each of them.

/// Makes a fieldless enumeration. Each variant states the name of its WGSL constant; its number is
/// its place in the list, from 0.
///
/// The enumeration derives `Debug`, `Clone`, `Copy`, `PartialEq`, `Eq` and `Hash`. It gets `ALL`,
/// `WGSL_NAMES` (in the same order), `wgsl_name`, `number` and `wgsl` (the text of all constants).
/// The last four exist only with the feature `gpu`.
///
/// ```ignore
/// wgsl_enum! {
///     /// What a shader is told of the cost.
///     pub(crate) enum CostKind {
///         /// Nothing.
///         None = "COST_NONE",
///         /// A posterior of its logarithm.
///         Learned = "COST_LEARNED",
///     }
/// }
/// ```
macro_rules! wgsl_enum {
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $name:ident {
            $( $(#[$of_variant:meta])* $variant:ident = $wgsl:literal ),+ $(,)?
        }
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $name {
            $( $(#[$of_variant])* $variant ),+
        }

        #[allow(dead_code, reason = "not every enumeration is listed")]
        impl $name {
            /// All variants, in the order of their numbers.
            $visibility const ALL: [Self; [$( $wgsl ),+].len()] = [$( Self::$variant ),+];
        }

        #[cfg(feature = "gpu")]
        #[allow(dead_code, reason = "not every enumeration needs all of these")]
        impl $name {
            /// The names of the WGSL constants, in the order of their numbers.
            pub(super) const WGSL_NAMES: &'static [&'static str] = &[$( $wgsl ),+];

            /// The name of the WGSL constant.
            pub(super) const fn wgsl_name(self) -> &'static str {
                Self::WGSL_NAMES[self as usize]
            }

            /// The value of the WGSL constant.
            pub(crate) const fn number(self) -> u32 {
                self as u32
            }

            /// The WGSL text of all constants.
            pub(crate) fn wgsl() -> String {
                $crate::math::wgsl::constants(Self::WGSL_NAMES)
            }
        }
    };
}

pub(crate) use wgsl_enum;

/// Writes a line `const NAME: u32 = 0u;` for each name; the numbers count from 0.
#[cfg(feature = "gpu")]
pub(crate) fn constants(names: &[&str]) -> String {
    let line = |(number, name): (usize, &&str)| format!("const {name}: u32 = {number}u;\n");
    names.iter().enumerate().map(line).collect()
}

/// Whether a WGSL text has a line that starts, after blanks, with `case NAME:` for each name.
///
/// Both sides of a shader's `switch` are known at compile time, so that a variant without a case
/// does not compile:
///
/// ```ignore
/// const _: () = assert!(has_cases(include_str!("kernel.wgsl"), Kind::WGSL_NAMES));
/// ```
#[cfg(feature = "gpu")]
pub(crate) const fn has_cases(text: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if !has_case(text.as_bytes(), names[at].as_bytes()) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(feature = "gpu")]
const fn has_case(text: &[u8], name: &[u8]) -> bool {
    let (mut at, mut is_start) = (0, true);
    while at < text.len() {
        if is_start && begins(text, at, b"case ") {
            let end = at + b"case ".len();
            if begins(text, end, name) && begins(text, end + name.len(), b":") {
                return true;
            }
        }
        is_start = text[at] == b'\n' || (is_start && text[at] == b' ');
        at += 1;
    }
    false
}

/// Whether the text from a place on begins with the word.
#[cfg(feature = "gpu")]
const fn begins(text: &[u8], from: usize, word: &[u8]) -> bool {
    if from + word.len() > text.len() {
        return false;
    }
    let mut at = 0;
    while at < word.len() {
        if text[from + at] != word[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    wgsl_enum! {
        /// An enumeration to test.
        enum Side {
            /// The first.
            Left = "SIDE_LEFT",
            Right = "SIDE_RIGHT",
        }
    }

    #[test]
    fn a_variant_has_its_place_as_number_and_its_name() {
        assert_eq!(Side::ALL, [Side::Left, Side::Right]);
        let named: Vec<_> =
            Side::ALL.iter().map(|side| (side.wgsl_name(), side.number())).collect();
        assert_eq!(named, [("SIDE_LEFT", 0), ("SIDE_RIGHT", 1)]);
        assert_eq!(Side::wgsl(), "const SIDE_LEFT: u32 = 0u;\nconst SIDE_RIGHT: u32 = 1u;\n");
    }

    #[test]
    fn a_missing_case_is_found() {
        let with = |cases: &str| format!("switch side {{\n    case SIDE_LEFT: {{ }}\n{cases}}}\n");
        assert!(has_cases(&with("    case SIDE_RIGHT: { }\n"), Side::WGSL_NAMES));
        for cases in [
            "",
            "    default: { }\n",
            "    case SIDE_RIGHTMOST: { }\n",
            "    // case SIDE_RIGHT: { }\n",
            "    case SIDE_RIGHT",
        ] {
            assert!(!has_cases(&with(cases), Side::WGSL_NAMES), "{cases}");
        }
    }

    // The check runs at compile time.
    const _: () = assert!(has_cases("case SIDE_LEFT: {}\n  case SIDE_RIGHT: {}", Side::WGSL_NAMES));
}
