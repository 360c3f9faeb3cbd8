//! Pictures of runs in stages: what they reported, and what each has cost. As in the other pictures a
//! run is called a trial.

use std::collections::HashMap;

use chart::number::short;
use chart::{Along, Frame, Key, Panel, Plan, Scale, Sign, escaped, fitted};
use gittins::study::TrialState;
use gittins::{Study, Trial};

use crate::believed::{Believed, believed};
use crate::items::{self, Called};
use crate::page::{begin, figures};
use crate::shown::axis_of;
use crate::table;

/// How runs end, in the words of their states, and the color of each.
const ENDS: [(&str, &str); 7] = [
    ("complete", "better"),
    ("paused", "mark"),
    ("pending", "ink"),
    ("abandoned", "plain"),
    ("failed", "bad"),
    ("infeasible", "bad"),
    ("withdrawn", "plain"),
];

/// A picture of a study of runs in stages.
///
/// ```
/// use gittins::study::Stages;
/// use gittins::{Space, Study};
/// use picture::RunsPicture;
/// let space = Space::new().float("rate", 0.0, 1.0);
/// let mut study = Study::minimize(space).stages(Stages::of(9.0)).build()?;
/// let ask = study.ask()?;
/// study.report(ask.id(), ask.until(), 0.4, 2.0)?;
/// let page = RunsPicture::new(&study).title("a rate").page();
/// assert!(page.contains("<svg") && page.contains("1 paused"));
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug)]
pub struct RunsPicture<'a> {
    study: &'a Study,
    /// Believing takes its time, and the page and the panels need it.
    believed: Vec<Believed<'a>>,
    title: String,
    verdict: Option<String>,
    unit: Option<String>,
    numbers: Option<Vec<usize>>,
    failures: HashMap<usize, String>,
}

impl<'a> RunsPicture<'a> {
    /// Of a study.
    pub fn new(study: &'a Study) -> Self {
        let title = "Runs in stages".to_owned();
        let believed = believed(study);
        let failures = HashMap::new();
        Self { study, believed, title, verdict: None, unit: None, numbers: None, failures }
    }

    /// Sets the title of the page.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the unit of cost, such as `s` or `EUR`.
    pub fn cost_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Sets what the page says of going on.
    pub fn verdict(mut self, words: impl Into<String>) -> Self {
        self.verdict = Some(words.into());
        self
    }

    /// Sets the number of each trial, in the order in which they began; from 0 unless set.
    pub fn numbers(mut self, numbers: impl IntoIterator<Item = usize>) -> Self {
        self.numbers = Some(numbers.into_iter().collect());
        self
    }

    /// Sets why trials failed, by their [numbers](Self::numbers).
    pub fn failures<W: Into<String>>(mut self, why: impl IntoIterator<Item = (usize, W)>) -> Self {
        self.failures = why.into_iter().map(|(trial, why)| (trial, why.into())).collect();
        self
    }

    /// The panels: of a study by items what is believed of each run and how many it has seen; the
    /// outcomes of each run at its reports, and what each has cost.
    pub fn panels(&self) -> Vec<Panel> {
        let call = |run: &Trial| Called {
            number: self.number(run),
            label: self.study.domain().label(run.row).map(str::to_owned),
            words: self.words(run),
            cost: self.cost(run.cost.unwrap_or(0.0)),
        };
        let items = items::draw(self.study, &self.believed, &call);
        items.into_iter().chain([self.curves(), self.money()]).collect()
    }

    /// The panels as one page of HTML.
    pub fn page(&self) -> String {
        let mut html = begin(&self.title);
        let counts: Vec<String> = ENDS
            .iter()
            .map(|(name, _)| (self.with(name).count(), name))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let spent = escaped(&self.cost(self.study.total_cost()));
        html += &match self.study.history().len() {
            0 => "<p id=\"counts\">No trial yet</p>\n".to_owned(),
            1 => format!("<p id=\"counts\">1 trial: {}. Total cost: {spent}.</p>\n", counts[0]),
            many => format!(
                "<p id=\"counts\">{many} trials: {}. Total cost: {spent}.</p>\n",
                counts.join(", ")
            ),
        };
        if let Some(words) = &self.verdict {
            html += &format!("<p id=\"words\" class=\"said\">{}</p>\n", escaped(words));
        }
        if let Some((run, report)) = self.study.best().zip(self.study.best_report()) {
            html += &format!(
                "<h2>The best</h2>\n<p id=\"best\">Outcome {} at {} in {}</p>\n",
                short(report.outcome, 6),
                short(report.progress, 6),
                escaped(&self.words(run))
            );
        }
        let failed = self.study.history().iter().map(|run| self.number(run));
        let failed = failed.filter_map(|trial| Some((trial, self.failures.get(&trial)?.clone())));
        let failed: Vec<(usize, String)> = failed.collect();
        html += &figures("The course", &self.panels());
        html + &table::failures(failed.into_iter()) + "</body>\n</html>\n"
    }

    fn with(&self, state: &str) -> impl Iterator<Item = &'a Trial> {
        self.study.history().iter().filter(move |run| run.state.name() == state)
    }

    fn number(&self, run: &Trial) -> usize {
        let place = run.id.index();
        self.numbers.as_ref().and_then(|all| all.get(place).copied()).unwrap_or(place)
    }

    fn cost(&self, cost: f64) -> String {
        let number = short(cost, 4);
        self.unit.as_ref().map_or(number.clone(), |unit| format!("{number} {unit}"))
    }

    /// A run in words.
    fn words(&self, run: &Trial) -> String {
        let names = self.study.names().iter().zip(&run.values);
        let values = names.map(|(name, value)| format!("{name} = {value}"));
        let label = self.study.domain().label(run.row).map(str::to_owned);
        let values: Vec<String> = label.into_iter().chain(values).collect();
        let state = match self.failures.get(&self.number(run)) {
            Some(why) => format!("{}: {}", run.state.name(), fitted(why, 1.0, 80.0)),
            None => run.state.name().to_owned(),
        };
        let cost = self.cost(run.cost.unwrap_or(0.0));
        format!("trial {} ({state}, cost {cost}): {}", self.number(run), values.join(", "))
    }

    /// The colors of the states that there are.
    fn keys(&self, key: impl Fn(&str) -> (String, bool)) -> Vec<Key> {
        let there = ENDS.iter().filter(|(name, _)| self.with(name).next().is_some());
        there
            .map(|(name, color)| match key(color) {
                (class, true) => Key::line(&class, *name),
                (class, false) => Key::area(&class, *name),
            })
            .collect()
    }

    fn curves(&self) -> Panel {
        let (name, title) = ("curves", "Outcomes of trials at their reports");
        let reports = || self.study.history().iter().flat_map(|run| &run.reports);
        let Some(first) = reports().next() else {
            return Frame::blank(name, title, "No trial has reported yet.");
        };
        let sign = self.study.direction().sign();
        let (scale, _) = axis_of(reports().map(|report| report.outcome), sign);
        let name_of_y = if scale.is_logarithmic() { "outcome (logarithmic)" } else { "outcome" };
        let x = Along::Numbers(Scale::exact(0.0, first.progress / first.share));
        let y = Along::Numbers(scale);
        let mut frame = Frame::new(Plan {
            name: name.to_owned(),
            keys: self.keys(|color| (format!("line {color}"), true)),
            ..Plan::new(title, ("progress", x), (name_of_y, y))
        });
        // Those that came to their end stand above the others.
        for (state, color) in ENDS.iter().rev() {
            let shape = if *state == "complete" { "line" } else { "thin" };
            for run in self.with(state) {
                let points = run.reports.iter().map(|report| (report.progress, report.outcome));
                frame.curve(&format!("{shape} {color}"), points);
                if let Some(last) = run.reports.last() {
                    let sign =
                        if run.state == TrialState::Failed { Sign::Cross } else { Sign::Dot };
                    frame.mark(sign, color, (last.progress, last.outcome), &self.words(run));
                }
            }
        }
        frame.close()
    }

    fn money(&self) -> Panel {
        let (name, title) = ("money", "What each trial has cost, and how it ended");
        let runs = self.study.history();
        let most = runs.iter().filter_map(|run| run.cost).fold(0.0, f64::max);
        if most <= 0.0 {
            return Frame::blank(name, title, "Nothing was paid yet.");
        }
        let cost = self.unit.as_ref().map_or("cost".to_owned(), |unit| format!("cost ({unit})"));
        let x = Along::Numbers(Scale::exact(0.0, runs.len() as f64));
        let y = Along::Numbers(Scale::exact(0.0, most));
        let mut frame = Frame::new(Plan {
            name: name.to_owned(),
            keys: self.keys(|color| (format!("bar {color}"), false)),
            ..Plan::new(title, ("trials, in the order in which they began", x), (&cost, y))
        });
        for run in runs {
            let place = run.id.index() as f64;
            let ends = [place + 0.1, place + 0.9].map(|x| frame.x.number(x));
            let color = ENDS.iter().find(|(state, _)| *state == run.state.name());
            if let ([Some(from), Some(to)], Some((_, color))) = (ends, color) {
                frame.bar(
                    &format!("bar {color}"),
                    [from.place(), to.place()],
                    run.cost.unwrap_or(0.0),
                );
            }
        }
        frame.close()
    }
}
