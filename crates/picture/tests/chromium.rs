//! The page in a browser.
//!
//! `GITTINS_CHROMIUM_TESTS=required|optional|off`: without a `chromium` a test fails, is skipped by
//! name (the default), or is always skipped. `GITTINS_PICTURES=folder` keeps the pages and pictures
//! of them, to look at.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gittins::data::Direction;
use picture::{Picture, RunsPicture};
use serde_json::json;

use crate::items::judged;
use crate::mixtures::Mixed;
use crate::studies::{Made, Run, bread, empty, process, record};

/// Measures the page in the browser, and writes what is wrong into it. Texts of a panel stay within
/// it and do not overlap; the page is not wider than the window.
const MEASURE: &str = r#"<script>
addEventListener("load", () => {
  const wrong = [];
  const width = document.documentElement;
  if (width.scrollWidth > width.clientWidth)
    wrong.push(`the page is ${width.scrollWidth} wide, the window ${width.clientWidth}`);
  for (const panel of document.querySelectorAll("svg.panel")) {
    const name = panel.dataset.panel, frame = panel.getBoundingClientRect(), one = frame.width / panel.viewBox.baseVal.width;
    const texts = [...panel.querySelectorAll("text")].map(text =>
      ({ says: text.textContent, at: text.getBoundingClientRect(), sloping: /rotate\(-40/.test(text.getAttribute("transform")) }));
    for (const { says, at } of texts)
      if (at.left < frame.left - one || at.right > frame.right + one || at.top < frame.top - one || at.bottom > frame.bottom + one)
        wrong.push(`${name}: "${says}" is not within the panel`);
    texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
      const across = Math.min(a.at.right, b.at.right) - Math.max(a.at.left, b.at.left);
      const down = Math.min(a.at.bottom, b.at.bottom) - Math.max(a.at.top, b.at.top);
      // Boxes have room above and below the letters. Those of sloping texts say little.
      if (!(a.sloping && b.sloping) && across > one && down > 5 * one)
        wrong.push(`${name}: "${a.says}" and "${b.says}" overlap`);
    }));
  }
  const list = document.createElement("pre");
  list.id = "measured";
  list.textContent = wrong.length ? wrong.join("\n") : "nothing is wrong";
  document.body.append(list);
});
</script>"#;

/// The browser's program, or `None` if the test is to be skipped.
fn chromium(test: &str) -> Option<PathBuf> {
    let wish = std::env::var("GITTINS_CHROMIUM_TESTS").unwrap_or_else(|_| "optional".to_owned());
    assert!(
        ["required", "optional", "off"].contains(&wish.as_str()),
        "GITTINS_CHROMIUM_TESTS must be required, optional or off, got {wish}"
    );
    // Past the test runner, which shows the output of a test only if the test fails.
    let skipped = |why: &str| {
        let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
    };
    if wish == "off" {
        skipped("GITTINS_CHROMIUM_TESTS is off");
        return None;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join("chromium"))
        .find(|path| path.is_file());
    assert!(
        found.is_some() || wish != "required",
        "{test}: there is no chromium, and GITTINS_CHROMIUM_TESTS requires one"
    );
    if found.is_none() {
        skipped("there is no chromium");
    }
    found
}

/// A folder of this test alone.
fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gittins-{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the browser on a page in a window of this size.
fn open(chromium: &Path, home: &Path, page: &Path, size: (u32, u32), options: &[&str]) -> Output {
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
        ])
        .args(["--enable-logging=stderr", "--log-level=0", "--disable-dev-shm-usage"])
        .args(["--virtual-time-budget=2000", &format!("--window-size={},{}", size.0, size.1)])
        .arg(format!("--user-data-dir={}", home.display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// What the console said.
fn console(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect()
}

/// Opens a page, and checks its document, the console and the layout at two widths.
fn check(test: &str, html: &str, panels: usize) -> Option<String> {
    let chromium = chromium(test)?;
    let folder = folder(test);
    let page = folder.join("page.html");
    fs::write(&page, html).unwrap();
    let output = open(&chromium, &folder, &page, (1200, 900), &["--dump-dom"]);
    assert_eq!(console(&output), [""; 0]);
    let document = String::from_utf8(output.stdout).unwrap();
    assert_eq!(document.matches("<svg").count(), panels, "{document}");

    // The policy of the page lets no script run, so that of the measurement needs another one.
    let measured = folder.join("measured.html");
    let open_to_scripts = html.replace("default-src 'none'; ", "");
    assert_ne!(open_to_scripts, html);
    let with_script = open_to_scripts.replace("</body>", &format!("{MEASURE}</body>"));
    fs::write(&measured, with_script).unwrap();
    let output = open(&chromium, &folder, &measured, (1200, 900), &["--dump-dom"]);
    assert_eq!(measured_of(&output), "nothing is wrong", "{test} at 1200 pixels");
    let phone = folder.join("phone.html");
    fs::write(&phone, on_a_phone(&fs::read_to_string(&measured).unwrap(), true)).unwrap();
    let output = open(&chromium, &folder, &phone, (1200, 900), &["--dump-dom"]);
    assert_eq!(measured_of(&output), "nothing is wrong", "{test} at 360 pixels");
    keep(test, &chromium, &folder, html);
    fs::remove_dir_all(&folder).unwrap();
    Some(document)
}

/// A page in a frame as narrow as a phone. No window of the browser is. With `report` it says what
/// was measured in the frame.
fn on_a_phone(html: &str, report: bool) -> String {
    let frame = format!(
        "<body style=\"margin:0\"><iframe srcdoc=\"{}\" style=\"width:360px;height:4000px;border:0\"></iframe>",
        chart::escaped(html)
    );
    let script = r#"<script>addEventListener("load", () => {
        const inner = document.querySelector("iframe").contentDocument.getElementById("measured");
        document.querySelector("iframe").replaceWith(inner);
    });</script>"#;
    if report { frame + script } else { frame }
}

/// What the measurement said.
fn measured_of(output: &Output) -> String {
    let document = String::from_utf8_lossy(&output.stdout);
    let text =
        document.split_once("<pre id=\"measured\">").unwrap_or_else(|| panic!("{document}")).1;
    text.split_once("</pre>").unwrap().0.to_owned()
}

/// Keeps a page with pictures of it, if that is wanted.
fn keep(test: &str, chromium: &Path, home: &Path, html: &str) {
    let Some(kept) = std::env::var_os("GITTINS_PICTURES").map(PathBuf::from) else { return };
    fs::create_dir_all(&kept).unwrap();
    let page = kept.join(format!("{test}.html"));
    fs::write(&page, html).unwrap();
    let picture =
        |name: &str| format!("--screenshot={}", kept.join(format!("{test}-{name}.png")).display());
    open(chromium, home, &page, (1280, 1900), &[&picture("light")]);
    let dark = ["--blink-settings=preferredColorScheme=0", &picture("dark")];
    open(chromium, home, &page, (1280, 1900), &dark);
    let phone = home.join("phone.html");
    fs::write(&phone, on_a_phone(html, false)).unwrap();
    open(chromium, home, &phone, (500, 2400), &[&picture("phone")]);
}

fn page_of(run: &Run, title: &str) -> String {
    let picture = Picture::new(&run.record).title(title).space(&run.space).verdict(&*run.words);
    match &run.recommendation {
        Some(recommendation) => picture.recommendation(recommendation).page(),
        None => picture.page(),
    }
}

#[test]
fn a_browser_shows_a_study() {
    check("process", &page_of(&process(), "A process"), 6);
}

#[test]
fn a_browser_shows_names_and_failures() {
    check("bread", &page_of(&bread(), "Bread"), 12);
}

/// Long names that look like tags, with intervals, bars and costs beside each other.
#[test]
fn a_browser_shows_a_study_by_items() {
    let study = judged(Direction::Maximize);
    let picture = RunsPicture::new(&study).title("Items").cost_unit("$");
    check("items", &picture.page(), 3);
}

#[test]
fn a_browser_shows_a_study_without_trials() {
    check("empty", &Picture::new(&empty()).title("Nothing yet").verdict("Go on.").page(), 4);
}

/// Triangles and bars, with names of every length.
#[test]
fn a_browser_shows_mixtures() {
    for (test, parts) in [("ternary", 3), ("paint", 5), ("soup", 12)] {
        let mixed = Mixed::of(parts);
        let picture = Picture::new(&mixed.record).title(test).space(&mixed.space);
        check(test, &picture.page(), 5 + parts);
    }
}

/// In a browser too, no name is a tag and no script runs.
#[test]
fn a_browser_takes_names_for_text() {
    let evil = "</title></script><b>&\"<script>console.error('ran')</script>";
    let trials = (0..30).map(|trial| {
        let name = format!("{evil}{}", trial % 7);
        let mut made = Made::new(vec![(evil.to_owned(), json!(name))], json!(trial));
        made.cost = json!(f64::from(trial) + 0.5);
        made
    });
    let record = record("maximize", trials.collect());
    let page = Picture::new(&record).title(evil).verdict(evil).page();
    let Some(document) = check("names", &page, 5) else { return };
    assert!(!document.contains("<b>") && !document.contains("<script>"), "{document}");
    assert!(document.contains("&lt;b&gt;"), "{document}");
}

/// Numbers with many digits, of all magnitudes, and more names than there is room for.
#[test]
fn a_browser_shows_labels_of_every_width() {
    let trials = (0..60_u32).map(|trial| {
        let k = f64::from(trial);
        let values = [
            ("close to each other", json!(1e9 + 1e-3 * k)),
            ("far from each other", json!(10_f64.powf(10.0 * (k - 30.0)))),
            ("forty names", json!(format!("name {}", trial % 40))),
            ("negative", json!(-1e-12 * k)),
            (
                "wide letters",
                json!(["学習率学習率学習率", "WWWWWWWWWWWW", "🍞🍞🍞🍞🍞🍞"][trial as usize % 3]),
            ),
        ];
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut made = Made::new(values, json!(-123_456.0 - 0.001 * k));
        if trial % 9 == 4 {
            (made.state, made.outcome) = ("failed", json!(null));
        }
        made.cost = json!(10_f64.powf(0.2 * k));
        made.predicted = Some([json!(-123_456.1), json!(0.02), json!(10_f64.powf(0.21 * k))]);
        made.verdict = Some([json!(10_f64.powf(-0.3 * k)), json!(1e-15)]);
        made
    });
    let record = record("minimize", trials.collect());
    check("labels", &Picture::new(&record).title("Labels").page(), 9);
}
