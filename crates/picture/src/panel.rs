//! One panel of a picture.

use crate::text::escaped;

/// The width of a panel.
pub const WIDTH: f64 = 400.0;
/// The height of a panel.
pub const HEIGHT: f64 = 290.0;

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    name: String,
    title: String,
    body: String,
    note: String,
}

impl Panel {
    pub(crate) fn new(name: String, title: String, body: String) -> Self {
        Self { name, title, body, note: String::new() }
    }

    /// This panel with words that a page has below it.
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The words that a page has below it.
    pub(crate) fn note(&self) -> &str {
        &self.note
    }

    /// A name for a file, such as `best`, `verdict`, `predicted-cost` or `parameter-3`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title of what it shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The panel as a file of its own.
    pub fn svg(&self) -> String {
        let style = format!(
            "<style>{}{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
            include_str!("colors.css"),
            include_str!("panel.css")
        );
        self.element(&style)
    }

    /// The panel as a part of a page that has its style.
    pub(crate) fn inline(&self) -> String {
        self.element("")
    }

    fn element(&self, style: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"panel\" data-panel=\"{}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n{style}{}</svg>\n",
            escaped(&self.name),
            escaped(&self.title),
            self.body
        )
    }
}
