//! What the page and the panels say of a study that was run.

use gittins::study::{Objective, Origin};
use picture::{Axis, Panel, Picture};

use crate::studies::{SIZE, bread, fronted, limited, process};

#[test]
fn each_panel_says_what_a_study_came_to() {
    let run = process();
    let picture = Picture::new(&run.record).space(&run.space);
    let panels = picture.panels();
    let names: Vec<&str> = panels.iter().map(Panel::name).collect();
    let expected =
        ["best", "verdict", "predicted-outcome", "predicted-cost", "parameter-1", "parameter-2"];
    assert_eq!(names, expected);
    let rows = run.record.rows();
    let suggested = rows.iter().filter(|row| row.origin == Origin::Suggested).count();
    assert!((1..rows.len()).contains(&suggested));
    let judged = rows.iter().filter(|row| row.verdict.is_some()).count();
    let priced =
        rows.iter().filter(|row| row.suggestion.as_ref().is_some_and(|s| s.cost.is_some()));
    // One title for each trial, and one around the best.
    let titles =
        [rows.len() + 1, judged, suggested, priced.count(), rows.len() + 1, rows.len() + 1];
    for (panel, titles) in panels.iter().zip(titles) {
        let svg = panel.svg();
        assert_eq!(svg.matches("<title>").count(), titles, "{}", panel.name());
        assert!(svg.starts_with("<svg xmlns=") && svg.contains("<style>"), "{svg}");
    }
    for words in ["smaller is better", "cost spent", "best so far", "initial"] {
        assert!(panels[0].svg().contains(words), "{words}");
    }
    assert!(panels[5].svg().contains("pressure (logarithmic)"));
    assert!(!panels[4].svg().contains("(logarithmic)"));
    assert!(panels[3].svg().contains("paid (logarithmic)"));
}

#[test]
fn what_breaks_a_limit_is_drawn_apart_and_is_never_the_best() {
    let run = limited();
    let outcomes = run.record.rows().iter().map(|row| (row.outcome.unwrap(), row.trial));
    let (broken, held): (Vec<_>, Vec<_>) = outcomes.partition(|(outcome, _)| *outcome < 0.5);
    assert!(!broken.is_empty() && !held.is_empty());
    let picture = Picture::new(&run.record).limits([SIZE]);
    for panel in [&picture.panels()[0], &picture.panels()[4]] {
        // Each of them says so, and so does the key.
        let said = panel.svg().matches("breaks a limit").count();
        assert_eq!(said, broken.len() + 1, "{}", panel.name());
    }
    let best =
        |of: &[(f64, usize)]| of.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1;
    let page = picture.page();
    assert!(page.contains(&format!("</strong> in trial {}.", best(&held))), "{page}");
    let table = page.split_once("<table id=\"best\">").unwrap().1;
    assert_eq!(table.matches("<tr><td").count(), held.len().min(10));
    // Without the limit the best one is another.
    let page = Picture::new(&run.record).page();
    assert!(!page.contains("breaks a limit"));
    assert!(page.contains(&format!("</strong> in trial {}.", best(&broken))), "{page}");
    // With one that nothing holds there is none.
    let page = Picture::new(&run.record).limits([("weight", SIZE.1)]).page();
    assert_eq!(page.matches("No trial holds all limits.").count(), 2, "{page}");
    assert!(!page.contains("Best outcome: "));
}

#[test]
fn a_front_comes_first_and_is_the_table() {
    let run = fronted();
    let count = run.front.len();
    assert!((2..12).contains(&count), "{count}");
    let picture = Picture::new(&run.record).front([("late", Objective::minimize())], &run.front);
    let panels = picture.panels();
    assert_eq!(panels[0].name(), "front");
    let svg = panels[0].svg();
    assert_eq!(svg.matches("<title>").count(), 12);
    // One is in the legend.
    assert_eq!(svg.matches("class=\"dot mark\"").count(), count + 1);
    assert!(svg.contains("late (smaller is better)"), "{svg}");
    let page = picture.page();
    assert_eq!(page.matches("<svg").count(), panels.len());
    let (lead, _) = page.split_once("<h2>Parameters</h2>").unwrap();
    assert_eq!(lead.matches("<svg").count(), 5);
    let (_, table) = page.split_once("<table id=\"front\">").unwrap();
    assert_eq!(table.matches("<tr><td").count(), count);
    assert!(table.contains("<th class=\"number\">late</th>"), "{table}");
    assert!(page.contains(&format!("<strong>{count}</strong> trials are on the front.")));
    // Before there is one, that is said.
    let page = Picture::new(&run.record).front([("late", Objective::minimize())], &[]).page();
    assert!(page.contains("No trial is on the front yet."), "{page}");
}

#[test]
fn the_page_has_the_verdict_the_recommendation_and_the_best_trials() {
    let run = process();
    let recommendation = run.recommendation.as_ref().unwrap();
    let page = Picture::new(&run.record)
        .title("A process")
        .space(&run.space)
        .verdict(&*run.words)
        .recommendation(recommendation)
        .page();
    let mut ranked: Vec<_> = run.record.rows().iter().collect();
    ranked.sort_by(|a, b| a.outcome.unwrap().total_cmp(&b.outcome.unwrap()));
    let table = page.split_once("<table id=\"best\">").unwrap().1;
    let body = table.split_once("<tbody>").unwrap().1.split_once("</tbody>").unwrap().0;
    let trials: Vec<usize> = body
        .lines()
        .filter_map(|line| line.strip_prefix("<tr><td class=\"number\">"))
        .map(|line| line.split_once('<').unwrap().0.parse().unwrap())
        .collect();
    let expected: Vec<usize> = ranked.iter().take(10).map(|row| row.trial).collect();
    assert_eq!(trials, expected);
    let total: f64 = run.record.rows().iter().filter_map(|row| row.cost).sum();
    let total = chart::number::short(total, 5);
    assert!(page.contains(&format!("20 trials: 20 complete. Total cost: {total}.")), "{page}");
    assert!(page.contains(&chart::escaped(&run.words)));
    assert!(page.contains(&format!("trial {}: posterior mean", recommendation.trial.index())));
    assert_eq!(page.matches("<svg").count(), 6);
}

/// A name has a strip of its own. What does not exist beside it stands apart, and what failed has
/// no outcome.
#[test]
fn names_absent_values_and_failures_have_their_places() {
    let run = bread();
    let panels = Picture::new(&run.record).space(&run.space).panels();
    let parameter = |name: &str| {
        let panel = panels.iter().find(|panel| panel.title() == name);
        panel.unwrap_or_else(|| panic!("{name}")).svg()
    };
    assert!(parameter("hours").contains(">absent<"));
    assert!(!parameter("rye").contains(">absent<"));
    assert!(parameter("steam").contains(">true<") && parameter("flour").contains(">coarse<"));
    assert!(parameter("loaves").contains("loaves (logarithmic)"));
    let failed = run.record.rows().iter().filter(|row| row.outcome.is_none()).count();
    assert!(failed > 0);
    // The legend says it too.
    assert!(panels[0].svg().matches("class=\"cross bad\"").count() > failed);
    assert!(panels[0].svg().contains("larger is better"));
}

/// Nothing but the record is needed: axes follow from the values.
#[test]
fn axes_are_guessed_or_given() {
    let run = bread();
    let guessed = Picture::new(&run.record).panels();
    let leaven = guessed.iter().find(|panel| panel.title() == "leaven").unwrap().svg();
    assert!(leaven.contains(">yeast<"), "{leaven}");
    let given = Picture::new(&run.record).axis("loaves", Axis::Linear(0.0, 1000.0)).panels();
    let loaves = given.iter().find(|panel| panel.title() == "loaves").unwrap().svg();
    assert!(loaves.contains(">1000<") && !loaves.contains("(logarithmic)"), "{loaves}");
}
