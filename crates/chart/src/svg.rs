//! Elements of SVG.

use crate::text::escaped;

/// Where a text stands beside its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
    /// It ends there and rises by so many degrees.
    Sloping(f64),
    /// Its middle is there, and it rises straight up.
    Upright,
}

/// A text.
pub fn words(class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) -> String {
    let text = escaped(text);
    let end = match anchor {
        Anchor::Start => "start",
        Anchor::Middle | Anchor::Upright => "middle",
        Anchor::End | Anchor::Sloping(_) => "end",
    };
    let place = match anchor {
        Anchor::Sloping(degrees) => {
            format!("transform=\"translate({x:.1} {y:.1}) rotate(-{degrees})\"")
        }
        Anchor::Upright => format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
        _ => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
    };
    format!("<text class=\"{class}\" {place} text-anchor=\"{end}\">{text}</text>\n")
}

/// A line.
pub fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    path(class, &[from, to])
}

/// Straight lines from point to point, as they stand in a path.
fn along(points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (number, (x, y)) in points.iter().enumerate() {
        d += &format!("{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
    }
    d
}

/// A line through points.
pub fn path(class: &str, points: &[(f64, f64)]) -> String {
    match points.len() {
        0 | 1 => String::new(),
        _ => format!("<path class=\"{class}\" d=\"{}\"/>\n", along(points)),
    }
}

/// The area within corners.
pub fn polygon(class: &str, corners: &[(f64, f64)]) -> String {
    match corners.len() {
        0..=2 => String::new(),
        _ => format!("<path class=\"{class}\" d=\"{}Z\"/>\n", along(corners)),
    }
}

/// A rectangle between two corners.
pub fn area(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let width = (to.0 - from.0).max(0.0);
    let height = (to.1 - from.1).max(0.0);
    format!(
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\n",
        from.0, from.1
    )
}
