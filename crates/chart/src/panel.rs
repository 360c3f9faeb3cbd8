//! One panel, as a file or as a part of a page.

use crate::text::escaped;

/// The colors of both schemes, as variables.
const COLORS: &str = include_str!("colors.css");
/// What a class looks like.
const CLASSES: &str = include_str!("panel.css");

/// Letters of a file of its own are larger than 12 pixels by this factor.
const ENLARGED: f64 = 1.25;
/// Between panels above each other.
const GAP: f64 = 8.0;

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    name: String,
    title: String,
    size: (f64, f64),
    body: String,
    note: String,
}

impl Panel {
    pub(crate) fn new(name: String, title: String, size: (f64, f64), body: String) -> Self {
        Self { name, title, size, body, note: String::new() }
    }

    /// Panels above each other as one. It has the name and the title of the first one.
    pub fn stacked(panels: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(panels, |(width, height), next| {
            let top = height + GAP;
            ((0.0, top), (width.max(next.0), top + next.1))
        })
    }

    /// Panels beside each other as one. It has the name and the title of the first one.
    pub fn beside(panels: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(panels, |(width, height), next| {
            let left = width + GAP;
            ((left, 0.0), (left + next.0, height.max(next.1)))
        })
    }

    /// Panels as one. `place` says from the size so far and that of the next one where this is, and
    /// the size with it.
    fn joined(
        panels: impl IntoIterator<Item = Self>,
        place: impl Fn((f64, f64), (f64, f64)) -> ((f64, f64), (f64, f64)),
    ) -> Self {
        let mut panels = panels.into_iter();
        let first = panels
            .next()
            .unwrap_or_else(|| Self::new(String::new(), String::new(), (0.0, 0.0), String::new()));
        panels.fold(first, |mut all, next| {
            let ((left, top), size) = place(all.size, next.size);
            all.body += &format!("<g transform=\"translate({left} {top})\">\n{}</g>\n", next.body);
            all.size = size;
            all
        })
    }

    /// This panel with words that a page has below it.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The words that a page has below it.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// A name for a file, such as `best`, `verdict`, `mixture-1` or `parameter-3`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title of what it shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The panel as a file of its own.
    pub fn svg(&self) -> String {
        self.element(&format!(
            "<style>\n{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
            file_style()
        ))
    }

    /// The panel as a part of a page that has the style of [`page_style`].
    pub fn inline(&self) -> String {
        self.element("")
    }

    fn element(&self, style: &str) -> String {
        let (width, height) = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"panel\" data-panel=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n{style}{}</svg>\n",
            escaped(&self.name),
            ENLARGED * width,
            ENLARGED * height,
            escaped(&self.title),
            self.body
        )
    }
}

/// The style of panels that are a part of a page, and colors for the page itself.
pub fn page_style() -> String {
    format!("{COLORS}{CLASSES}")
}

/// The style of a file. Colors are written out, because not every program that shows SVG knows
/// variables; those of the dark scheme come again for those that know schemes.
fn file_style() -> String {
    let (light, dark) = COLORS.split_once("@media").unwrap_or((COLORS, ""));
    let written = |classes: &str, scheme: &str| {
        let variables = scheme.split([';', '{']).filter_map(|part| {
            part.trim().strip_prefix("--").and_then(|variable| variable.split_once(": "))
        });
        variables.fold(classes.to_owned(), |classes, (name, color)| {
            classes.replace(&format!("var(--{name})"), color)
        })
    };
    let colored: String = CLASSES
        .lines()
        .filter(|line| line.contains("var("))
        .map(|line| format!("{line}\n"))
        .collect();
    format!(
        "{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
        written(CLASSES, light),
        written(&colored, dark)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_every_color_written_out() {
        let panel = Panel::new("a".to_owned(), "<b>".to_owned(), (400.0, 290.0), String::new());
        let svg = panel.svg();
        assert!(!svg.contains("var(") && svg.contains("prefers-color-scheme"), "{svg}");
        assert!(svg.contains("aria-label=\"&lt;b&gt;\"") && !panel.inline().contains("<style>"));
        assert!(svg.contains("width=\"500\" height=\"362.5\" viewBox=\"0 0 400 290\""), "{svg}");
        let beside = Panel::beside([panel.clone(), panel.clone()]).inline();
        assert!(
            beside.contains("viewBox=\"0 0 808 290\"") && beside.contains("translate(408 0)"),
            "{beside}"
        );
        let two = Panel::stacked([panel.clone(), panel]).inline();
        assert!(
            two.contains("viewBox=\"0 0 400 588\"") && two.contains("translate(0 298)"),
            "{two}"
        );
    }

    /// Red, green and blue of a color such as `#96b6e0`, from 0 to 255.
    fn channels(color: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()))
    }

    /// The relative luminance of WCAG 2.
    fn luminance(color: [f64; 3]) -> f64 {
        let linear = color.map(|channel| match channel / 255.0 {
            low if low <= 0.03928 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// Dots of the first trial and of the last stand off the paper in both schemes: by the ratio of
    /// 3 that WCAG 2.1 asks of graphics (1.4.11).
    #[test]
    fn every_dot_stands_off_the_paper() {
        let (light, dark) = COLORS.split_once("@media").unwrap();
        for scheme in [light, dark] {
            let value = |name: &str| {
                let rest = scheme.split_once(&format!("--{name}: ")).unwrap().1;
                channels(rest.split_once(';').unwrap().0)
            };
            let paper = value("paper");
            for name in ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"] {
                // A dot is drawn with an opacity of 0.85.
                let color = value(name);
                let seen = [0, 1, 2].map(|i| 0.85 * color[i] + 0.15 * paper[i]);
                let a = luminance(seen) + 0.05;
                let b = luminance(paper) + 0.05;
                let contrast = (a / b).max(b / a);
                assert!(contrast >= 3.0, "{name}: {contrast}");
            }
        }
    }
}
