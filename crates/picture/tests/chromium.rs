//! The page in a browser.
//!
//! `GITTINS_CHROMIUM_TESTS=required|optional|off`: without a `chromium` a test fails, is skipped by
//! name (the default), or is always skipped. `GITTINS_PICTURES=folder` keeps the pages and pictures
//! of them, to look at.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use picture::Picture;
use serde_json::json;

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
    const name = panel.dataset.panel, frame = panel.getBoundingClientRect(), one = frame.width / 420;
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
    fs::write(&measured, open_to_scripts.replace("</head>", &format!("{MEASURE}</head>"))).unwrap();
    // A phone's width is a frame's: no window of this browser is as narrow.
    let phone = folder.join("phone.html");
    let frame = "<body style=\"margin:0\"><iframe src=\"measured.html\" style=\"width:360px;height:800px;border:0\"></iframe>";
    fs::write(&phone, frame).unwrap();
    let output = open(&chromium, &folder, &measured, (1200, 900), &["--dump-dom"]);
    let said = measured_of(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(said, "nothing is wrong", "{test} at 1200 pixels");
    keep(test, &chromium, &folder, html);
    fs::remove_dir_all(&folder).unwrap();
    Some(document)
}

/// What the measurement said.
fn measured_of(document: &str) -> String {
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
    open(chromium, home, &page, (500, 3600), &[&picture("phone")]);
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

#[test]
fn a_browser_shows_a_study_without_trials() {
    check("empty", &Picture::new(&empty()).title("Nothing yet").verdict("Go on.").page(), 4);
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
