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
    format!(
        "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// A line through points.
pub fn path(class: &str, points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (number, (x, y)) in points.iter().enumerate() {
        d += &format!("{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
    }
    match points.len() {
        0 | 1 => String::new(),
        _ => format!("<path class=\"{class}\" d=\"{d}\"/>\n"),
    }
}

/// A rectangle between two corners.
pub fn area(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let (width, height) = ((to.0 - from.0).max(0.0), (to.1 - from.1).max(0.0));
    format!(
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\n",
        from.0, from.1
    )
}
