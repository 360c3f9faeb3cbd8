//! Signs at places, alone and many together.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::text::escaped;

/// The sign of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// A filled circle.
    Dot,
    /// A circle that is empty inside.
    Ring,
    /// A wider one with a stronger line.
    Circle,
    /// A square that is empty inside.
    Square,
    /// Two lines that slope.
    Cross,
    /// Two lines that do not slope.
    Plus,
    /// A triangle that points upward: it is above the panel.
    Above,
    /// It is below the panel.
    Below,
    /// It is to the right of the panel.
    Right,
    /// It is to the left of the panel.
    Left,
    /// A wide circle around another sign.
    Halo,
}

impl Sign {
    /// The path of a sign around the point that the pen is at.
    fn path(self) -> &'static str {
        match self {
            Self::Dot | Self::Ring | Self::Circle | Self::Halo => "h0",
            Self::Square => "m-2.6-2.6h5.2v5.2h-5.2z",
            Self::Cross => "m-3-3l6 6m0-6l-6 6",
            Self::Plus => "m-4 0h8m-4-4v8",
            Self::Above => "m0-4l4 7h-8z",
            Self::Below => "m0 4l4-7h-8z",
            Self::Right => "m4 0l-7 4v-8z",
            Self::Left => "m-4 0l7 4v-8z",
        }
    }

    /// The class of a sign alone, and of many in one path.
    fn classes(self) -> [&'static str; 2] {
        match self {
            Self::Dot => ["dot", "dots"],
            Self::Ring => ["ring", "dots"],
            Self::Circle => ["ring strong", "dots"],
            Self::Square => ["ring", "ring"],
            Self::Cross | Self::Plus => ["cross", "cross"],
            Self::Above | Self::Below | Self::Left | Self::Right => ["dot", "dot"],
            Self::Halo => ["halo", "halo"],
        }
    }

    /// The sign as an element.
    pub fn element(self, color: &str, (x, y): (f64, f64), title: &str) -> String {
        let class = self.classes()[0];
        let radius = match self {
            Self::Dot => 3.0,
            Self::Ring => 2.6,
            Self::Circle => 3.4,
            Self::Halo => 6.0,
            _ => {
                let path = self.path();
                return format!(
                    "<path class=\"{class} {color}\" d=\"M{x:.1} {y:.1}{path}\">{}</path>\n",
                    hover(title)
                );
            }
        };
        format!(
            "<circle class=\"{class} {color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\">{}</circle>\n",
            hover(title)
        )
    }
}

/// What a browser shows under the pointer.
fn hover(title: &str) -> String {
    match title {
        "" => String::new(),
        _ => format!("<title>{}</title>", escaped(title)),
    }
}

/// The marks of a panel. Each one has a title of its own, unless there are too many.
#[derive(Debug)]
pub struct Marks {
    titled: bool,
    drawn: String,
    many: BTreeMap<(&'static str, Sign), Vec<(i32, i32)>>,
}

impl Marks {
    /// No marks yet.
    pub fn new(titled: bool) -> Self {
        Self { titled, drawn: String::new(), many: BTreeMap::new() }
    }

    /// A mark of a color at a place.
    pub fn add(
        &mut self,
        sign: Sign,
        color: &'static str,
        at: (f64, f64),
        title: impl FnOnce() -> String,
    ) {
        if self.titled {
            self.drawn += &sign.element(color, at, &title());
        } else {
            let place = (at.0.round() as i32, at.1.round() as i32);
            self.many.entry((color, sign)).or_default().push(place);
        }
    }

    /// The marks as elements, those of one color and sign in one path if there are many.
    pub fn finish(self) -> String {
        let mut drawn = self.drawn;
        for ((color, sign), mut places) in self.many {
            places.sort_unstable();
            places.dedup();
            let _ = write!(drawn, "<path class=\"{} {color}\" d=\"", sign.classes()[1]);
            // Steps from one dot to the next are shorter than places.
            let dots = sign.path() == "h0";
            let (mut x, mut y) = (0, 0);
            for (number, place) in places.into_iter().enumerate() {
                let dx = place.0 - x;
                let dy = place.1 - y;
                let _ = match dots && number > 0 {
                    true if dy < 0 => write!(drawn, "m{dx}{dy}h0"),
                    true => write!(drawn, "m{dx} {dy}h0"),
                    false => write!(drawn, "M{} {}{}", place.0, place.1, sign.path()),
                };
                (x, y) = place;
            }
            drawn += "\"/>\n";
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_dots_are_one_path() {
        let mut marks = Marks::new(false);
        for at in [(10.2, 20.0), (12.0, 5.0), (9.8, 20.3), (12.0, 7.4)] {
            marks.add(Sign::Dot, "o1", at, || unreachable!());
        }
        assert_eq!(marks.finish(), "<path class=\"dots o1\" d=\"M10 20h0m2-15h0m0 2h0\"/>\n");
    }

    #[test]
    fn a_title_is_text() {
        let mut marks = Marks::new(true);
        marks.add(Sign::Cross, "bad", (1.0, 2.0), || "</title><script>".to_owned());
        let drawn = marks.finish();
        assert!(drawn.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"), "{drawn}");
    }
}
