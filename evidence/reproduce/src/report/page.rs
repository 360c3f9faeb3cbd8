//! The page. It needs no other file.

use super::section::{Section, Totals};
use crate::comparison::{Cell, ENOUGH_SEEDS};
use crate::experiment::Claim;
use crate::figure;
use crate::output::{CellSummary, PanelSummary, Summary};
use chart::number::significant;
use chart::{escaped, page_style};

/// The page as HTML.
pub fn page(
    sections: &[Section],
    missing: &[(&str, String)],
    totals: &Totals,
    quick: bool,
) -> String {
    let mut html =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>The papers' experiments, reproduced</title>\n";
    html += &format!(
        "<style>\n{}{}</style>\n</head>\n<body>\n<h1>The papers' experiments, reproduced</h1>\n",
        page_style(),
        include_str!("style.css")
    );
    html += &lead(totals, quick);
    html += &overview(sections, totals);
    html += &method();
    for section in sections {
        html += &self::section(section);
    }
    if !missing.is_empty() {
        html += "<h2 id=\"not-run\">Not run</h2>\n<p>No seed of these is whole in the folder.</p>\n<ul>\n";
        for (name, title) in missing {
            html += &format!("<li><code>{}</code>: {}</li>\n", escaped(name), escaped(title));
        }
        html += "</ul>\n";
    }
    html + "</body>\n</html>\n"
}

/// A share such as `93 %`; none of nothing.
pub fn share(part: usize, whole: usize) -> Option<String> {
    (whole > 0).then(|| format!("{:.0} %", 100.0 * part as f64 / whole as f64))
}

/// `5 of 16`, or `16` if none is missing.
fn counted(seeds: u64, usual: u64) -> String {
    if seeds < usual { format!("{seeds} of {usual}") } else { seeds.to_string() }
}

fn lead(totals: &Totals, quick: bool) -> String {
    let Totals { compared, agreeing, claims, holding } = totals;
    let mut html = String::new();
    if quick {
        html += "<p class=\"bad\">Of quick runs: a tenth of every budget, which no published number belongs to.</p>\n";
    }
    html += &match share(*agreeing, *compared) {
        Some(share) => format!(
            "<p><strong>{agreeing} of {compared}</strong> published numbers agree with ours ({share}; of numbers from one distribution 95 % would)."
        ),
        None => "<p>No published number has seeds enough to compare.".to_owned(),
    };
    if *claims > 0 {
        html += &format!(" <strong>{holding} of {claims}</strong> claims hold.");
    }
    html += "</p>\n";
    html
}

fn overview(sections: &[Section], totals: &Totals) -> String {
    let mut html = String::from(
        "<div class=\"wide\"><table>\n<thead><tr><th>experiment</th><th></th><th class=\"number\">seeds</th>",
    );
    html += "<th class=\"number\">published numbers</th><th class=\"number\">agree</th><th class=\"number\">share</th><th class=\"number\">claims that hold</th></tr></thead>\n<tbody>\n";
    let numbers = |seeds: &str, compared: usize, agreeing: usize, holding: usize, claims: usize| {
        let claims = if claims > 0 { format!("{holding} of {claims}") } else { String::new() };
        let (count, agreeing, share) = match share(agreeing, compared) {
            Some(share) => (compared.to_string(), agreeing.to_string(), share),
            None => Default::default(),
        };
        [seeds, &count, &agreeing, &share, &claims]
            .map(|cell| format!("<td class=\"number\">{cell}</td>"))
            .concat()
    };
    for Section { summary, usual, .. } in sections {
        let Summary { name, title, seeds, compared, agreeing, claims, .. } = summary;
        let name = escaped(name);
        let title = escaped(title);
        let told = claims.iter().filter_map(|claim| claim.holds);
        html += &format!("<tr><td><a href=\"#{name}\">{name}</a></td><td>{title}</td>");
        html += &numbers(
            &counted(*seeds, *usual),
            *compared,
            *agreeing,
            told.clone().filter(|holds| *holds).count(),
            told.count(),
        );
        html += "</tr>\n";
    }
    html += "<tr class=\"total\"><td>all</td><td></td>";
    html += &numbers("", totals.compared, totals.agreeing, totals.holding, totals.claims);
    html + "</tr>\n</tbody></table></div>\n"
}

/// A description of `comparison`.
fn method() -> String {
    format!(
        "<details><summary>When two numbers agree</summary>\n\
         <p>Ours and the published ones are medians or means over a few dozen seeds, so they differ by chance. <em>z</em> is their difference in units of \
         its standard error, \
         <em>z</em> = (ours &minus; published) / &radic;(<em>e</em><sub>ours</sub>&sup2; + <em>e</em><sub>published</sub>&sup2; + <em>reading</em>&sup2;). \
         They agree where |<em>z</em>| is at most the two-sided 5 % point of Student's distribution with as many degrees of freedom as both have seeds, \
         less two: of numbers that come from one distribution one in twenty differs. Numbers along one curve are not independent: neighbors differ together. With few \
         seeds the errors are large, and agreement says little.</p>\n\
         <p>The error of a median is half the distance of the order statistics &radic;<em>n</em>/2 ranks off on either side of the middle, that of a mean \
         <em>s</em>/&radic;<em>n</em>. Of a published median with quartiles it is 0.929 (<em>q</em><sub>3</sub> &minus; <em>q</em><sub>1</sub>)/&radic;<em>n</em>; \
         where no spread was published it is ours, scaled to the published number of seeds. <em>reading</em> is the error with which a number was read off a \
         figure or to which it was rounded. A published number without chance in it agrees where ours is within its reading. \
         Fewer than {ENOUGH_SEEDS} seeds of ours are not compared. Behind &plusmn; stands one standard error.</p>\n</details>\n"
    )
}

fn section(section: &Section) -> String {
    let Summary { name, title, seeds, panels, claims, notes, .. } = &section.summary;
    let name = escaped(name);
    let seeds = counted(*seeds, section.usual);
    let mut html = format!(
        "<section>\n<h2 id=\"{name}\">{name}</h2>\n<p>{}; seeds: {seeds}.</p>\n<div class=\"figures\">\n",
        escaped(title)
    );
    for panel in &section.digest.panels {
        html += &format!("<figure>\n{}</figure>\n", figure::draw(panel).inline());
    }
    html += "</div>\n";
    if !claims.is_empty() {
        html += "<h3>Claims</h3>\n<ul>\n";
        for claim in claims {
            html += &self::claim(claim);
        }
        html += "</ul>\n";
    }
    for panel in panels.iter().filter(|panel| !panel.cells.is_empty()) {
        html += &table(panel);
    }
    if !notes.is_empty() {
        html += "<h3>Notes</h3>\n<ul>\n";
        for note in notes {
            html += &format!("<li>{}</li>\n", escaped(note));
        }
        html += "</ul>\n";
    }
    html + "</section>\n"
}

fn claim(claim: &Claim) -> String {
    let verdict = match claim.holds {
        Some(true) => "<span class=\"good\">holds</span>",
        Some(false) => "<span class=\"bad\">does not hold</span>",
        None => "<span class=\"soft\">too few seeds</span>",
    };
    format!(
        "<li>{}: {verdict}<span class=\"evidence\">{}</span></li>\n",
        escaped(&claim.text),
        escaped(&claim.evidence)
    )
}

fn table(panel: &PanelSummary) -> String {
    let verdicts = || panel.cells.iter().filter_map(|cell| cell.cell.agrees);
    let agreeing = verdicts().filter(|agrees| *agrees).count();
    let compared = verdicts().count();
    let said = if compared > 0 {
        format!("{agreeing} of {compared} published numbers agree")
    } else {
        "too few seeds to compare".to_owned()
    };
    let mut html = format!(
        "<details open><summary>{}: {said}</summary>\n<div class=\"wide\"><table>\n<thead><tr>",
        escaped(&panel.title)
    );
    html += "<th>method</th><th class=\"number\">at</th><th class=\"number\">here</th><th class=\"number\">published</th><th class=\"number\">z</th><th>verdict</th></tr></thead>\n<tbody>\n";
    for cell in &panel.cells {
        html += &row(cell);
    }
    html + "</tbody></table></div>\n</details>\n"
}

fn row(CellSummary { cell, explanation }: &CellSummary) -> String {
    let Cell { method, place, ours, published, z, agrees } = cell;
    let (class, verdict) = match agrees {
        Some(true) => ("", "agrees".to_owned()),
        Some(false) => {
            let why = match explanation {
                Some(explanation) => {
                    format!("{}: {}", explanation.kind.name(), escaped(&explanation.text))
                }
                None => "not looked into".to_owned(),
            };
            (" class=\"differs\"", format!("differs <span class=\"why\">({why})</span>"))
        }
        None => ("", "<span class=\"soft\">too few seeds</span>".to_owned()),
    };
    let error = if ours.error > 0.0 {
        format!(" &plusmn; {}", significant(ours.error, 2))
    } else {
        String::new()
    };
    let quartiles = published.quartiles.map_or(String::new(), |(low, high)| {
        format!(
            " <span class=\"soft\">({} to {})</span>",
            significant(low, 3),
            significant(high, 3)
        )
    });
    format!(
        "<tr{class}><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}{error}</td><td class=\"number\">{}{quartiles}</td><td class=\"number\">{z:.2}</td><td class=\"verdict\">{verdict}</td></tr>\n",
        escaped(method),
        escaped(place),
        significant(ours.value, 4),
        significant(published.value, 4),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Estimate, Published};
    use crate::experiment::Digest;

    /// Names, evidence and notes are text, whatever is in them.
    #[test]
    fn nothing_that_an_experiment_says_becomes_a_tag() {
        let evil = "<script>alert('x')</script> & \"more\"";
        let published = Published { value: 9.0, quartiles: None, seeds: Some(16), reading: 0.1 };
        let cell = Cell::new(evil, evil, Estimate { value: 1.0, error: 0.1, seeds: 16 }, published);
        assert_eq!(cell.agrees, Some(false));
        let summary = Summary {
            name: evil.to_owned(),
            title: evil.to_owned(),
            seeds: 16,
            quick: false,
            compared: 1,
            agreeing: 0,
            panels: vec![PanelSummary {
                title: evil.to_owned(),
                quarters: Vec::new(),
                cells: vec![CellSummary { cell, explanation: None }],
            }],
            claims: vec![Claim {
                text: evil.to_owned(),
                holds: Some(true),
                evidence: evil.to_owned(),
            }],
            notes: vec![evil.to_owned()],
        };
        let sections = [Section { summary, usual: 16, digest: Digest::default() }];
        let html = page(&sections, &[("<b>", evil.to_owned())], &Totals::of(&sections), false);
        assert!(
            !html.contains("<script") && !html.contains("<b>") && !html.contains("alert('x')"),
            "{html}"
        );
        assert!(
            html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"),
            "{html}"
        );
        assert!(html.contains("not looked into") && html.contains("0 of 1"), "{html}");
    }
}
