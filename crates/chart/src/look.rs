//! How series that stand for names are told apart.

/// Classes of a line, a bar or a mark: colors that color-blind readers tell apart (Okabe and Ito
/// 2008; gray for their yellow, which white paper swallows), and the same once more, with broken
/// lines and paler bars.
pub const LOOKS: [&str; 16] = [
    "p0",
    "p1",
    "p2",
    "p3",
    "p4",
    "p5",
    "p6",
    "p7",
    "p0 second",
    "p1 second",
    "p2 second",
    "p3 second",
    "p4 second",
    "p5 second",
    "p6 second",
    "p7 second",
];
