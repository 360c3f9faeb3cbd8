//! The trial as a picture: what was spread for which money, and what the advice was worth.

use std::path::Path;

use plotters::prelude::*;

use frontend::chart::{BLUE, INK, PALE, RED, Result, axes, key, labels, span, steps, text};

/// What is drawn of a plot.
pub struct Plot {
    /// Euros spent, this plot included.
    pub spent: f64,
    /// The set that was spread.
    pub set: usize,
    /// Whether it belongs to the initial design.
    pub initial: bool,
    /// The soil.
    pub soil: Vec<f64>,
    /// The leaf area that was measured.
    pub area: f64,
}

/// The advice at some point.
pub struct Advice {
    /// Euros spent by then.
    pub spent: f64,
    /// The leaf area that the study expected.
    pub promised: f64,
    /// The average leaf area of the advice.
    pub expected: f64,
}

/// Draws the sets that were played, and below them the leaf areas of plots and advice, all against
/// money.
pub fn draw(
    path: &Path,
    names: &[&str],
    plots: &[Plot],
    advice: &[Advice],
    largest: f64,
) -> Result<()> {
    let root = SVGBackend::new(path, (900, 760)).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(300);
    // The names of the sets are wider than leaf areas, and the axes of euros must be aligned.
    let (_, lower) = lower.split_horizontally(126);
    let end = 1.02 * plots.last().map_or(1.0, |plot| plot.spent);

    let count = names.len();
    let name = |row: &f64| {
        let place = row.round();
        if (row - place).abs() < 1e-9 && place >= 0.0 {
            names.get(place as usize).map_or(String::new(), |name| name.to_string())
        } else {
            String::new()
        }
    };
    let mut chart = ChartBuilder::on(&upper)
        .caption("What was spread, the dearest above", text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(190)
        .build_cartesian_2d(0.0..end, -0.5..count as f64 - 0.5)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("euros spent")
        .axis_style(INK)
        .bold_line_style(PALE.mix(0.25))
        .light_line_style(TRANSPARENT);
    mesh.label_style(text(12))
        .axis_desc_style(text(13))
        .x_label_formatter(&|euros| format!("{euros:.0}"))
        .y_labels(count)
        .y_label_formatter(&name)
        .draw()?;
    chart.draw_series(plots.iter().map(|plot| {
        let color = if plot.initial { PALE } else { BLUE };
        Circle::new((plot.spent, plot.set as f64), 3, color.mix(0.7).filled())
    }))?;

    let single = || plots.iter().map(|plot| (plot.spent, plot.area));
    let expected = || advice.iter().map(|advice| (advice.spent, advice.expected));
    let promised = || advice.iter().map(|advice| (advice.spent, advice.promised));
    let most = [(0.0, largest), (end, largest)];
    let range = span(single().chain(expected()).chain(promised()).chain(most));
    let mut chart = axes(
        &lower,
        "What was advised, and what is in it",
        ["euros spent", "leaf area"],
        0.0..end,
        range,
    )?;
    let dots = single().map(|at| Circle::new(at, 3, PALE.filled()));
    chart.draw_series(dots)?.label("single plot").legend(|at| Circle::new(at, 3, PALE.filled()));
    chart
        .draw_series(LineSeries::new(most, INK.stroke_width(1)))?
        .label("most there is")
        .legend(|at| key(at, INK));
    chart
        .draw_series(LineSeries::new(steps(promised()), RED.stroke_width(2)))?
        .label("advice, as expected")
        .legend(|at| key(at, RED));
    chart
        .draw_series(LineSeries::new(steps(expected()), BLUE.stroke_width(2)))?
        .label("advice, in truth")
        .legend(|at| key(at, BLUE));
    labels(&mut chart)?;
    root.present()?;
    Ok(())
}
