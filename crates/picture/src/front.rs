//! The front of a study with several objectives: outcomes against another objective.

use chart::{Along, Frame, Key, Marks, Panel, Plan, Scale, Sign, Spot, steps};
use gittins::data::Direction;

use crate::shown::shown;
use crate::trials::{Told, Trials};

const NAME: &str = "front";
const TITLE: &str = "The front";

/// How a trial stands to a front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// No other trial is as good in every objective and better in one.
    OnFront,
    /// Another one is.
    Dominated,
    /// It breaks a limit, and so is on no front.
    Breaks,
}

/// An objective along a side of the picture.
#[derive(Debug, Clone)]
pub struct Goal {
    /// Its name.
    pub name: String,
    /// Which numbers are better.
    pub direction: Direction,
}

/// A trial in the picture.
#[derive(Debug, Clone)]
pub struct FrontTrial {
    /// The numbers of the objective across and of the one upward.
    pub at: (f64, f64),
    /// How it stands.
    pub standing: Standing,
    /// What a browser shows under the pointer.
    pub words: String,
}

/// A front to be drawn: two objectives of all trials, and the line below which nothing was found.
#[derive(Debug, Clone)]
pub struct FrontPicture<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The objective across.
    pub x: Goal,
    /// The objective upward.
    pub y: Goal,
    /// What is said of trials that break a limit.
    pub breaks: &'a str,
    /// The trials.
    pub trials: Vec<FrontTrial>,
}

impl FrontPicture<'_> {
    /// The panel, of a width and a height. With `titled` each trial has its words.
    ///
    /// Trials on the front stand on a line of steps, dominated ones are gray, and those that break
    /// a limit are hollow. The line is that of these two objectives: a trial that is on the front
    /// for a third one is off it. A trial without one of the numbers is left out.
    pub fn panel(&self, size: (f64, f64), titled: bool) -> Panel {
        let is_shown = |one: &&FrontTrial| !one.at.0.is_nan() && !one.at.1.is_nan();
        let trials: Vec<&FrontTrial> = self.trials.iter().filter(is_shown).collect();
        if trials.is_empty() {
            return Frame::blank(NAME, self.title, "No trial has both numbers yet.");
        }
        // The ends of a front are far off the rest, and are shown.
        let scale = |goal: &Goal, number: fn(&FrontTrial) -> f64| {
            let mut numbers = shown(trials.iter().map(|one| number(one)), goal.direction.sign());
            let on = trials.iter().filter(|one| one.standing == Standing::OnFront);
            numbers.extend(on.map(|one| number(one)));
            Scale::around(false, numbers.into_iter())
        };
        let x = scale(&self.x, |one| one.at.0);
        let y = scale(&self.y, |one| one.at.1);
        let is_off = |scale: &Scale, number: f64| {
            scale.fraction(number).is_some_and(|fraction| !(0.0..=1.0).contains(&fraction))
        };
        let mut keys = self.keys(&trials);
        if trials.iter().any(|one| is_off(&x, one.at.0) || is_off(&y, one.at.1)) {
            keys.push(Key::mark(Sign::Above, "soft", "off the axis"));
        }
        let (x_name, y_name) = (self.x.words(), self.y.words());
        let x = Along::Numbers(x);
        let y = Along::Numbers(y);
        let plan = Plan::new(self.title, (&x_name, x), (&y_name, y));
        let mut frame = Frame::new(Plan { name: NAME.to_owned(), size, keys, ..plan });
        frame.curve("line mark", self.line(&trials));
        let mut marks = Marks::new(titled);
        // What is on the front is drawn above the rest.
        for standing in [Standing::Breaks, Standing::Dominated, Standing::OnFront] {
            for one in trials.iter().filter(|one| one.standing == standing) {
                let (Some(x), Some(y)) = (frame.x.number(one.at.0), frame.y(one.at.1)) else {
                    continue;
                };
                let (sign, color) = match (x, y) {
                    (_, Spot::Beyond(_)) => (Sign::Above, "soft"),
                    (_, Spot::Before(_)) => (Sign::Below, "soft"),
                    (Spot::Beyond(_), _) => (Sign::Right, "soft"),
                    (Spot::Before(_), _) => (Sign::Left, "soft"),
                    _ => standing.sign(),
                };
                marks.add(sign, color, (x.place(), y.place()), || one.words.clone());
            }
        }
        frame.push(&marks.finish());
        frame.close()
    }

    /// The steps along the front, from its best number across on: what is upward holds until a
    /// trial that is better there.
    fn line(&self, trials: &[&FrontTrial]) -> Vec<(f64, f64)> {
        let [across, upward] = [&self.x, &self.y].map(|goal| goal.direction.sign());
        let on = trials.iter().filter(|one| one.standing == Standing::OnFront);
        let mut points: Vec<(f64, f64)> = on.map(|one| one.at).collect();
        points.sort_by(|a, b| {
            let x = (across * b.0).total_cmp(&(across * a.0));
            x.then((upward * b.1).total_cmp(&(upward * a.1)))
        });
        let mut best = f64::NEG_INFINITY;
        points.retain(|point| {
            let better = upward * point.1 > best;
            best = best.max(upward * point.1);
            better
        });
        steps(points)
    }

    /// What is there is explained.
    fn keys(&self, trials: &[&FrontTrial]) -> Vec<Key> {
        let mut keys = Vec::new();
        for (standing, words) in [
            (Standing::OnFront, "on the front"),
            (Standing::Dominated, "dominated"),
            (Standing::Breaks, self.breaks),
        ] {
            if trials.iter().any(|one| one.standing == standing) {
                let (sign, color) = standing.sign();
                keys.push(Key::mark(sign, color, words));
            }
        }
        keys
    }
}

impl Goal {
    fn words(&self) -> String {
        match self.direction {
            Direction::Minimize => format!("{} (smaller is better)", self.name),
            Direction::Maximize => format!("{} (larger is better)", self.name),
        }
    }
}

impl Standing {
    fn sign(self) -> (Sign, &'static str) {
        match self {
            Self::OnFront => (Sign::Dot, "mark"),
            Self::Dominated => (Sign::Dot, "soft"),
            Self::Breaks => (Sign::Ring, "soft"),
        }
    }
}

/// What a study has for objectives, and which trials are on its front.
#[derive(Debug, Clone)]
pub struct Fronted {
    /// The objectives beside the outcome.
    pub goals: Vec<Goal>,
    /// The trials on the front, by their numbers.
    pub trials: Vec<usize>,
}

/// Draws the outcomes of told trials against the first other objective.
pub fn draw(trials: &Trials<'_>, fronted: &Fronted, titled: bool) -> Panel {
    let Some(x) = fronted.goals.first().cloned() else {
        return Frame::blank(NAME, TITLE, "There is only the outcome.");
    };
    let one = |told: &Told<'_>| FrontTrial {
        at: (told.row.measured.get(&x.name).unwrap_or(f64::NAN), told.outcome.unwrap_or(f64::NAN)),
        standing: match told {
            told if fronted.trials.contains(&told.row.trial) => Standing::OnFront,
            told if told.breaks() => Standing::Breaks,
            _ => Standing::Dominated,
        },
        words: told.words(),
    };
    let picture = FrontPicture {
        title: TITLE,
        y: Goal { name: "outcome".to_owned(), direction: trials.direction },
        breaks: "breaks a limit",
        trials: trials.told.iter().map(one).collect(),
        x: x.clone(),
    };
    picture.panel((400.0, 290.0), titled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(directions: [Direction; 2], points: &[(f64, f64)]) -> FrontPicture<'static> {
        let [x, y] = directions.map(|direction| Goal { name: "n".to_owned(), direction });
        let trial = |at: &(f64, f64)| FrontTrial {
            at: *at,
            standing: Standing::OnFront,
            words: String::new(),
        };
        let trials = points.iter().map(trial).collect();
        FrontPicture { title: "A front", x, y, breaks: "", trials }
    }

    /// Each corner of the steps is what was found for no more across than that.
    #[test]
    fn the_line_holds_until_a_trial_is_better_in_every_direction() {
        use Direction::{Maximize, Minimize};
        let points = [(1.0, 5.0), (3.0, 2.0), (2.0, 4.0)];
        for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let direction = |sign: f64| if sign > 0.0 { Minimize } else { Maximize };
            let turned = points.map(|point| (x * point.0, y * point.1));
            let picture = picture([direction(x), direction(y)], &turned);
            let line = picture.line(&Vec::from_iter(&picture.trials));
            let expected = [(1.0, 5.0), (2.0, 5.0), (2.0, 4.0), (3.0, 4.0), (3.0, 2.0)];
            assert_eq!(line, expected.map(|point| (x * point.0, y * point.1)));
        }
        // For a third objective: it is better in neither of the two.
        let third = picture([Minimize; 2], &[(1.0, 1.0), (2.0, 2.0)]);
        assert_eq!(third.line(&Vec::from_iter(&third.trials)), [(1.0, 1.0)]);
    }

    /// The end of a front may be far off all others; a trial that is of no use there is not.
    #[test]
    fn the_ends_of_a_front_are_on_the_axes() {
        let mut far: Vec<(f64, f64)> = (1..20).map(|k| (f64::from(k), 1.0)).collect();
        far.push((1e6, 0.5));
        let mut picture = picture([Direction::Minimize; 2], &far);
        let off = |picture: &FrontPicture<'_>| {
            picture.panel((400.0, 290.0), true).svg().contains("off the axis")
        };
        assert!(!off(&picture));
        if let Some(last) = picture.trials.last_mut() {
            last.standing = Standing::Dominated;
        }
        assert!(off(&picture));
    }

    #[test]
    fn a_trial_without_a_number_is_left_out() {
        let minimize = [Direction::Minimize; 2];
        let svg =
            |points: &[(f64, f64)]| picture(minimize, points).panel((400.0, 290.0), true).svg();
        assert!(svg(&[(f64::NAN, 1.0)]).contains("No trial has both numbers yet."));
        let dots = |points: &[(f64, f64)]| svg(points).matches("class=\"dot mark\"").count();
        assert_eq!(dots(&[(1.0, 1.0), (0.5, f64::NAN)]), dots(&[(1.0, 1.0)]));
    }
}
