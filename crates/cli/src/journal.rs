//! A study that lives in a file, until the library has it: the calls are logged and made again.
#![allow(missing_docs)]
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use gittins::study::{Recommendation, StudyBuilder};
use gittins::{Ask, Error, ErrorKind, Outcome, Result, Study, TrialId, Value, Verdict};
use serde_json::{Value as Json, json};

pub struct Journal {
    study: Study,
    file: File,
    notes: Vec<BTreeMap<String, String>>,
    left: BTreeMap<usize, String>,
}

fn io(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Data, error.to_string())
}

fn outcome(of: &Json) -> Outcome {
    let mut outcome = match of["value"].as_f64() {
        Some(value) => Outcome::new(value),
        None if of["state"] == "infeasible" => Outcome::infeasible(),
        None => Outcome::failed(),
    };
    if let Some(cost) = of["cost"].as_f64() {
        outcome = outcome.cost(cost);
    }
    outcome
}

impl Journal {
    pub fn open(path: impl AsRef<Path>, builder: StudyBuilder) -> Result<Self> {
        let path = path.as_ref();
        let text = if path.exists() {
            std::fs::read_to_string(path).map_err(|e| io(format!("{}: {e}", path.display())))?
        } else {
            String::new()
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|e| io(format!("{}: {e}", path.display())))?;
        let mut journal =
            Self { study: builder.build()?, file, notes: Vec::new(), left: BTreeMap::new() };
        for line in text.lines() {
            let line: Json = serde_json::from_str(line).map_err(io)?;
            let id = line["id"].as_u64().unwrap_or(0) as usize;
            match line["op"].as_str() {
                Some("ask") => {
                    journal.study.ask()?;
                    journal.notes.push(BTreeMap::new());
                }
                Some("tell") => journal.study.tell(id, outcome(&line["outcome"]))?,
                Some("import") => {
                    let values: Vec<Value> =
                        serde_json::from_value(line["values"].clone()).map_err(io)?;
                    journal.study.import(&values, outcome(&line["outcome"]))?;
                    journal.notes.push(BTreeMap::new());
                }
                Some("withdraw") => journal.study.withdraw(id)?,
                Some("note") => {
                    journal.notes[id].insert(
                        line["key"].as_str().unwrap_or("").into(),
                        line["text"].as_str().unwrap_or("").into(),
                    );
                }
                _ => {}
            }
        }
        Ok(journal)
    }
    pub fn resume(_path: impl AsRef<Path>) -> Result<Self> {
        Err(io("not yet"))
    }
    fn log(&mut self, line: Json) -> Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(io)
    }
    pub fn study(&self) -> &Study {
        &self.study
    }
    pub fn sync(&mut self) -> Result<()> {
        Ok(())
    }
    pub fn ask(&mut self) -> Result<Ask> {
        let ask = self.study.ask()?;
        self.notes.push(BTreeMap::new());
        self.log(json!({"op": "ask"}))?;
        Ok(ask)
    }
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.study.tell(id, outcome)?;
        let trial = &self.study.history()[id.index()];
        let line = json!({"op": "tell", "id": id.index(), "outcome": {"value": trial.outcome, "state": trial.state.name(), "cost": trial.cost}});
        self.log(line)
    }
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        self.study.withdraw(id)?;
        self.log(json!({"op": "withdraw", "id": id.index()}))
    }
    pub fn import<V: Into<Value> + Clone>(
        &mut self,
        values: &[V],
        outcome: Outcome,
    ) -> Result<TrialId> {
        let id = self.study.import(values, outcome)?;
        self.notes.push(BTreeMap::new());
        let trial = &self.study.history()[id.index()];
        let line = json!({"op": "import", "values": trial.values, "outcome": {"value": trial.outcome, "state": trial.state.name(), "cost": trial.cost}});
        self.log(line)?;
        Ok(id)
    }
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.study.verdict()
    }
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        self.study.recommendation()
    }
    pub fn note(&mut self, id: impl Into<TrialId>, key: &str, text: &str) -> Result<()> {
        let id = id.into();
        self.notes[id.index()].insert(key.into(), text.into());
        self.log(json!({"op": "note", "id": id.index(), "key": key, "text": text}))
    }
    pub fn notes(&self, id: impl Into<TrialId>) -> BTreeMap<String, String> {
        self.notes.get(id.into().index()).cloned().unwrap_or_default()
    }
    pub fn correct(&mut self, _id: impl Into<TrialId>, _outcome: Outcome) -> Result<()> {
        Err(io("not yet"))
    }
    pub fn times(&self, _id: impl Into<TrialId>) -> (Option<f64>, Option<f64>) {
        (None, None)
    }
    pub fn left_out(&self) -> &BTreeMap<usize, String> {
        &self.left
    }
    pub fn name(&self) -> &str {
        "study"
    }

    pub fn number(&self, id: impl Into<TrialId>) -> Result<usize> {
        Ok(id.into().index())
    }
    pub fn trial(&self, number: usize) -> Option<TrialId> {
        (number < self.study.history().len()).then(|| number.into())
    }
}
