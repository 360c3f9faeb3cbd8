//! Candidates from a CSV file: each row is an arm.

use crate::folder::Folder;

const MODELS: &str = "name,family,size,usd\noak-7,oak,7,0.16\noak-70,oak,70,3.2\nelm-8,elm,8,0.2\n\
    fir,fir,,0.1\n";

/// Answers its items: `oak-70` nine of ten, `elm-8` seven, the others three. It notes what it got.
const ANSWERS: &str = "case $1 in oak-70) well=9;; elm-8) well=7;; *) well=3;; esac\n\
    for i in $(echo $2 | tr , ' '); do\n\
      if [ $((i * 37 % 101)) -lt $((well * 10)) ]; then echo 1; else echo 0; fi\n\
    done\n\
    echo $1 ${GITTINS_NAME}+$GITTINS_FAMILY+$GITTINS_SIZE+$GITTINS_USD >> log\n";

const STUDY: &str = "direction = \"maximize\"\ncommand = [\"./train\", \"{name}\", \"{items}\"]\n\
    budget = 2\n[table]\nfile = \"models.csv\"\ncolumns = [\"family\", \"size\", \"usd\"]\n\
    log = [\"size\", \"usd\"]\n[cost]\nfrom = \"none\"\n[stages]\nitems = 60\n";

/// Whole trials of a table of two columns.
const WHOLE: &str = "direction = \"minimize\"\ncommand = [\"./train\", \"{x}\", \"{name}\"]\n\
    table.file = \"points.csv\"\n[cost]\nfrom = \"none\"\n[stop]\ntrials = 9\n";

fn folder(study: &str) -> Folder {
    let folder = Folder::new(study, ANSWERS);
    folder.write("models.csv", MODELS);
    folder
}

fn values(folder: &Folder, name: &str) -> Vec<serde_json::Value> {
    folder.trials().iter().map(|trial| trial["values"][name].clone()).collect()
}

#[test]
fn each_row_is_an_arm_and_the_command_is_told_columns_that_are_not_modeled() {
    let folder = folder(STUDY);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    let mut families: Vec<String> =
        values(&folder, "family").iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    families.sort();
    assert_eq!(families, ["elm", "fir", "oak", "oak"], "{}", said.all());
    // An absent value has no variable.
    let log = folder.read("log");
    assert!(log.contains("fir fir+fir++0.1"), "{log}");
    assert!(log.contains("oak-70 oak-70+oak+70+3.2"), "{log}");
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["best"]["values"]["usd"], 3.2, "{best}");
    assert!(best["best"]["values"].get("name").is_none(), "{best}");
    // The answer is a name.
    assert_eq!([&best["best"]["label"], &best["recommendation"]["label"]], ["oak-70", "oak-70"]);
    let best = folder.gittins(&["best", "study.toml"]).exits(0).out;
    assert!(best.contains(": oak-70 (family = oak, size = 70, usd = 3.2)"), "{best}");
    assert!(best.contains("label"), "{best}");
}

#[test]
fn a_run_goes_on_as_long_as_the_table_has_the_rows_of_its_trials() {
    let folder = folder(&STUDY.replace("budget = 2", "budget = 0.3"));
    folder.gittins(&["run", "study.toml"]).exits(0);
    let begun = folder.trials().len();
    folder.write("study.toml", STUDY);
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.trials().len() >= begun);
    // A column that is not modeled may change, and the command may be elsewhere.
    folder.write("models.csv", &MODELS.replace("elm-8", "elm-8b"));
    let command = "command = [\"./train\", \"{name}\", \"{items}\"]\n";
    folder.write("study.toml", &STUDY.replace(command, ""));
    folder.gittins(&["status", "study.toml"]).exits(0);
    folder.gittins(&["best", "study.toml"]).exits(0);
    folder.gittins(&["export", "study.toml"]).exits(0);
    folder.write("study.toml", STUDY);
    let trials = folder.trials().len();
    for (csv, words) in [
        (format!("{MODELS}new,oak,13,0.4\n"), "has 5 rows, and had 4 when"),
        (MODELS.replace(",oak,", ",ash,"), "left out"),
    ] {
        folder.write("models.csv", &csv);
        for action in ["status", "best", "export"] {
            let said = folder.gittins(&[action, "study.toml"]).exits(0);
            assert!(said.all().contains(words), "{}", said.all());
        }
    }
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("is not in the table of candidates any more"), "{}", said.all());
    folder.write("models.csv", &format!("{MODELS}new,oak,13,0.4\n"));
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.trials().len() >= trials);
    let said = folder.gittins(&["status", "study.journal"]).exits(2);
    assert!(said.err.contains("the table of candidates is not in the file"), "{}", said.all());
}

#[test]
fn whole_trials_ask_for_rows_and_are_imported_by_them() {
    let folder = Folder::new(WHOLE, "echo $1 > seen.$GITTINS_TRIAL; echo $1\n");
    folder.write("points.csv", "x;name\n0,5;a b\n2;$c\n1,25;\"d;e\"\n");
    folder.gittins(&["run", "study.toml"]).exits(0);
    let mut found = values(&folder, "x");
    found.sort_by(|a, b| a.as_f64().unwrap().total_cmp(&b.as_f64().unwrap()));
    assert_eq!(found, [0.5, 1.25, 2.0]);
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["best"]["values"]["name"], "a b");
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    folder.write("sheet.csv", &sheet);
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(0);
    assert!(said.out.contains("3 of 3 are there already"), "{}", said.all());
    folder.write("sheet.csv", "x,name,outcome\n0.75,a b,1\n");
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
    assert!(said.err.contains("line 2: none of the 3 rows has x = 0.75"), "{}", said.all());
    let folder = Folder::new(WHOLE, "");
    folder.write("points.csv", "x,name\n0.5,a\n2,b\n");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    folder.gittins(&["tell", "study.toml", "0", "3"]).exits(0);
    let said = folder.gittins(&["ask", "study.toml", "--within", "name=b"]);
    assert!(!said.all().contains("panicked"), "{}", said.all());
}

/// What a command is told of the rows of a file, sorted.
fn told(csv: &str, arguments: &str) -> Vec<String> {
    let study = format!(
        "direction = \"maximize\"\ntable.file = \"models.csv\"\ncost.from = \"none\"\nstop.trials = 2\n\
         command = [\"./train\", {arguments}]\n"
    );
    let folder = Folder::new(&study, "echo \"$@\" >> told; echo 1\n");
    folder.write("models.csv", csv);
    folder.gittins(&["run", "study.toml"]).exits(0);
    let mut told: Vec<String> = folder.read("told").lines().map(str::to_owned).collect();
    told.sort();
    told
}

#[test]
fn a_command_is_told_what_stands_in_the_cells() {
    let (id, two) = ("\"{id}\"", "\"{id}\", \"{usd}\"");
    assert_eq!(told("id,usd\n007,0.5\n012,0.25\n", id), ["007", "012"]);
    assert_eq!(told("id,usd\n4.10,0.50\n4.1,0.25\n", two), ["4.1 0.25", "4.10 0.50"]);
    // They differ as texts alone.
    assert_eq!(told("id\n4.10\n4.1\n", id), ["4.1", "4.10"]);
    let ids = ["12345678901234567890", "12345678901234567891"];
    assert_eq!(told(&format!("id\n{}\n{}\n", ids[0], ids[1]), id), ids);
    assert_eq!(told("id;usd\n\u{2212}1;0,5\n2;NA\n", two), ["-1 0.5", "2 NA"]);
}

#[test]
fn one_odd_cell_is_said_and_a_column_may_be_one_of_names() {
    let study = "direction = \"minimize\"\ntable.file = \"points.csv\"\ncost.from = \"none\"\n";
    let folder = Folder::new(study, "");
    for odd in ["$3.5", "1 200", "<0.1", "\"1,200\"", "x"] {
        folder.write("points.csv", &format!("x\n1\n2\n{odd}\n"));
        let said = folder.gittins(&["ask", "study.toml"]).exits(2);
        let words = "points.csv, line 4, column \"x\": expected a number, as 2 other cells";
        assert!(said.err.contains(words), "{}", said.all());
    }
    folder.write(
        "study.toml",
        &study.replace("table.file =", "table.categorical = [\"x\"]\ntable.file ="),
    );
    let ask = folder.gittins(&["ask", "study.toml", "--json"]).exits(0).json();
    assert!(ask["values"]["x"].is_string(), "{ask}");
}

#[test]
fn a_column_that_is_not_modeled_may_have_the_name_of_a_measured_number() {
    for section in
        ["objectives]\nee = { direction = \"maximize\" }", "limits]\nee = { at_least = 50 }"]
    {
        let study = format!(
            "direction = \"maximize\"\nprice = 0.5\ncost.from = \"none\"\n[table]\nfile = \"sheet.csv\"\n\
             columns = [\"ligand\", \"base\"]\n[{section}\n"
        );
        let folder = Folder::new(&study, "");
        folder.write("sheet.csv", "ligand,base,yield,ee\nL1,KOAc,PENDING,\nL2,KOAc,,\nL3,CsF,,\n");
        folder.gittins(&["ask", "study.toml"]).exits(0);
        folder.write("told.csv", "ligand,base,yield,outcome,ee\nL2,KOAc,3,3,60\nL3,CsF,,,\n");
        let said = folder.gittins(&["import", "study.toml", "told.csv"]).exits(0);
        assert!(said.out.contains("1 row has no outcome yet"), "{}", said.all());
    }
}

#[test]
fn a_file_of_an_outcome_may_be_named_after_any_column() {
    let study = "direction = \"minimize\"\nworkers = 1\ntable = { file = \"arms.csv\", columns = [\"x\"] }\n\
        command = [\"./train\", \"{x}\", \"{name}\"]\n[outcome]\nfile = \"out.{name}\"\n\
        [cost]\nfrom = \"parameters\"\nper_unit.x = 2\n[stop]\ntrials = 5\n";
    let folder = Folder::new(study, "echo $1 > out.$2\n");
    folder.write("arms.csv", "name,x\na,1\nb,2\n");
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(folder.trials().len(), 2);
    let costs: f64 = folder.trials().iter().map(|trial| trial["cost"].as_f64().unwrap()).sum();
    assert_eq!(costs, 6.0);
}

#[test]
fn what_is_wrong_with_the_keys_is_said() {
    for (right, wrong, words) in [
        ("[table]", "[tabel]", "line 4, tabel: unknown key; did you mean \"table\"?"),
        (
            "file =",
            "path =",
            "line 5, table.path: unknown key; there are file, columns, categorical, log",
        ),
        ("file = \"models.csv\"\n", "", "line 4, table: the key \"file\" is missing"),
        ("models.csv", "", "line 5, table.file: expected a text, got an empty one"),
        ("models.csv", "modles.csv", "table.file: modles.csv: there is no such file beside the"),
        ("models.csv", ".", "table.file: .: it is a folder; expected a CSV file"),
        ("\"models.csv\"", "3", "line 5, table.file: expected a text in quotes, got 3"),
        (
            "\"family\", ",
            "\"famly\", ",
            "line 6, table.columns[0]: no column of models.csv is named \"famly\"; did you mean \"family\"?",
        ),
        ("\"family\", ", "\"size\", ", "table.columns[1]: the column \"size\" is there twice"),
        (
            "columns = [\"family\", \"size\", \"usd\"]\nlog = [\"size\", \"usd\"]",
            "columns = []",
            "line 6, table.columns: expected at least one column",
        ),
        ("\"family\", ", "\"\", ", "table.columns[0]: expected a text, got an empty one"),
        ("\"size\", \"usd\"]\n[", "\"sise\"]\n[", "line 7, table.log[0]: no column of models.csv"),
        ("\"size\", \"usd\"]\n[", "\"name\"]\n[", "the column \"name\" is not modeled: add it to"),
        (
            "\"size\", \"usd\"]\n[",
            "\"family\"]\n[",
            "models.csv, line 2, column \"family\": expected a number, got \"oak\", on a log scale",
        ),
        (
            "[cost]",
            "[parameters.x]\ntype = \"flag\"\n[cost]",
            "line 4, table: expected either parameters or a table, got both",
        ),
        (
            "[cost]",
            "[[constraints]]\nterms = { size = 1 }\nat_most = 9\n[cost]",
            "constraints: constraints are for parameters: leave rows that are not allowed out",
        ),
        ("{name}", "{nam}", "no parameter is named \"nam\" in \"{nam}\"; did you mean \"name\"?"),
        (
            "{name}",
            "{family}",
            "the command is the same for lines 2 and 3 of models.csv: put a column that tells",
        ),
        ("{items}", "7", "the command never gets {items}"),
        ("from = \"none\"", "from = \"none\"\nper_unit.nam = 1", "no parameter is named \"nam\""),
    ] {
        assert!(STUDY.contains(right), "{right}");
        let folder = folder(&STUDY.replacen(right, wrong, 1));
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        assert!(said.err.contains(words), "{words}\n{}", said.all());
        assert!(said.err.contains("study.toml"), "{}", said.all());
    }
    let folder = Folder::new("direction = \"minimize\"\n", "");
    let said = folder.gittins(&["run", "study.toml"]).exits(2);
    assert!(said.err.contains("\"parameters\" is missing, or \"table\" for"), "{}", said.all());
}

#[test]
fn what_is_wrong_with_the_rows_is_said_with_their_lines() {
    for (csv, words) in [
        ("", "models.csv, line 1: expected a line with the names of columns, got none"),
        ("\n\n", "models.csv, line 1: expected a line with the names of columns, got none"),
        ("family,size,usd\n", "models.csv, line 1: expected a row for each candidate below"),
        (
            "family,size,usd\noak,7,1\nelm,8\n",
            "models.csv: line 3: expected 3 cells, one for each column, got 2",
        ),
        (
            "family,size,usd,size\noak,7,1,7\n",
            "models.csv, line 1: columns 2 and 4 are both named \"size\"",
        ),
        (
            "family,size,usd\noak,7,1\nelm,0,1\n",
            "models.csv, line 3, column \"size\": a log scale needs positive numbers, got \"0\"",
        ),
        (
            "family,size,usd\noak,7,1\nelm,8B,1\n",
            "models.csv, line 3, column \"size\": expected a number, got \"8B\", on a log scale",
        ),
        (
            "family,size,usd\noak,,1\nelm,,2\n",
            "models.csv, line 1, column \"size\": nothing stands in it",
        ),
        (
            "name,family,size,usd\na,oak,7,1\nb,elm,8,1\nc,oak,7.0,1\n",
            "lines 2 and 4 of models.csv agree in family, size, usd, so a study cannot tell them apart: leave one of them out, or add a column that tells them apart to table.columns",
        ),
    ] {
        let folder = folder(STUDY);
        folder.write("models.csv", csv);
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        assert!(said.err.contains(words), "{words}\n{}", said.all());
        assert!(said.err.contains("study.toml, line 5, table.file: "), "{}", said.all());
    }
    let whole = "direction = \"minimize\"\ncommand = [\"./train\"]\nenvironment = true\n\
        table.file = \"models.csv\"\n[stop]\ntrials = 1\n";
    for (csv, words) in [
        ("a,,b\n1,2,3\n", "models.csv, line 1: column 2 has no name: give it one"),
        ("a,b{\n1,2\n", "line 1, column \"b{\": a name must not be empty and has no braces in it"),
        ("a,trial\n1,2\n", "the parameter \"trial\" needs another name"),
        ("a,b\n1,2\n1,2\n", "lines 2 and 3 of models.csv agree in a, b"),
    ] {
        let folder = Folder::new(whole, "echo 1\n");
        folder.write("models.csv", csv);
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        assert!(said.err.contains(words), "{words}\n{}", said.all());
    }
    // The numbers of rows that pandas writes in front are no column.
    let folder = Folder::new(whole, "echo 1\n");
    folder.write("models.csv", ",a,b\n0,1,2\n1,1,3\n");
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(folder.trials()[0]["values"].as_object().unwrap().len(), 2);
}

#[test]
fn the_arms_of_the_page_run() {
    let page = include_str!("../../../docs/items.md");
    let block = |language: &str, number: usize| {
        let begin = format!("```{language}\n");
        page.split(&begin).nth(number).unwrap().split("```").next().unwrap()
    };
    let folder = Folder::new(block("toml", 2), "");
    folder.write("models.csv", block("csv", 1));
    let answers = "for i in $(echo $2 | tr , ' '); do\n\
        echo \"{\\\"right\\\": $((i * 37 % 101 < 60)), \\\"usd\\\": 0.001}\"\ndone\n";
    folder.write("answer.sh", answers);
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(folder.trials().len() > 1);
}
