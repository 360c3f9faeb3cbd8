//! From a journal to its study: each operation does to the study what the call did that wrote it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::data::{Cost, Domain, ParameterKind, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::{Archive, Entry, Event};
use crate::journal::distribution::{Distribution, value_of};
use crate::journal::operation::{
    COMPLETE, CREATE_TRIAL, FAIL, Operation, RUNNING, STUDY_SYSTEM_ATTR,
};
use crate::journal::said::{
    ASK, CORRECTED, COST, Change, End, FIT, FITS, Judgment, OUTCOME, PAID, PAID_LATER, POLICY,
    SECOND, SETTINGS, TOLD, Told, VERDICT, WITHDRAWN, WrittenFits, read,
};
use crate::study::{Asked, Described, Fits, Study, TrialId, TrialState};
use crate::suggest::Policy;

/// Numbers that differ by no more than this share of them are the same: some thousand times the
/// distance of neighbors in double precision.
const SAME: f64 = 1e-12;

/// A study and the journal that it follows.
#[derive(Debug)]
pub(super) struct Fold {
    pub study: Study,
    pub archive: Archive,
    /// The study's number in the file.
    pub chapter: usize,
    pub distributions: Vec<Arc<Distribution>>,
    /// The trials of the study by their numbers in the file; none for one that it does not have.
    ids: Vec<Option<TrialId>>,
    /// Their numbers in the file.
    numbers: Vec<usize>,
    /// Trials of others that are no trials of the study, and why.
    pub left_out: BTreeMap<usize, String>,
    /// The settings that the file has.
    pub settings: Option<Described>,
    /// The last fits that the file has.
    pub recorded: Fits,
    /// Those of them that are to be taken once the study has come so far.
    awaited: Fits,
    /// The state of the stopping rule that the file has.
    pub rule: Vec<f64>,
}

impl Fold {
    pub fn new(study: Study, chapter: usize) -> Self {
        let distributions = Distribution::of_domain(study.domain());
        Self {
            distributions: distributions.into_iter().map(Arc::new).collect(),
            study,
            archive: Archive::default(),
            chapter,
            ids: Vec::new(),
            numbers: Vec::new(),
            left_out: BTreeMap::new(),
            settings: None,
            recorded: Fits::default(),
            awaited: Fits::default(),
            rule: Vec::new(),
        }
    }

    /// Forgets everything that was read.
    pub fn restart(&mut self, settings: &Described) -> Result<()> {
        self.study.restart(settings)?;
        self.archive = Archive::default();
        (self.ids, self.numbers) = (Vec::new(), Vec::new());
        self.left_out.clear();
        self.settings = None;
        (self.recorded, self.awaited) = (Fits::default(), Fits::default());
        self.rule.clear();
        Ok(())
    }

    /// The number in the file of a trial of the study.
    pub fn number(&self, id: TrialId) -> Option<usize> {
        self.numbers.get(id.index()).copied()
    }

    /// The trial of the study with this number in the file.
    pub fn id(&self, number: usize) -> Option<TrialId> {
        self.ids.get(number).copied().flatten()
    }

    /// What the file has of a trial of the study.
    pub fn entry(&self, id: TrialId) -> Option<(usize, &Entry)> {
        let number = self.number(id)?;
        let trial = *self.archive.studies.get(self.chapter)?.trials.get(number)?;
        Some((trial, self.archive.trials.get(trial)?))
    }

    /// Takes operations of the file. Returns false if a fit is among them that was made with fewer
    /// observations than the study has by now: it then has to be read from the start.
    ///
    /// # Errors
    /// `Data` for what cannot be understood.
    pub fn take(&mut self, operations: Vec<Operation>) -> Result<bool> {
        let fits = last_fits(&operations, self.chapter)?;
        self.recorded.update(&fits);
        self.awaited.update(&fits);
        self.recall();
        for operation in operations {
            if let Some(event) = self.archive.take(operation, Some(self.chapter))? {
                self.apply(event)?;
                self.recall();
            }
        }
        Ok(self.awaited.is_empty())
    }

    /// Takes operations that did to the study already what they say.
    pub fn note(&mut self, operations: Vec<Operation>) -> Result<()> {
        for operation in operations {
            match self.archive.take(operation, Some(self.chapter))? {
                Some(Event::Made(trial)) => {
                    let number = self.archive.trials[trial].number;
                    // Trials that the study got since were entered in this order.
                    self.known(number, TrialId::from(self.numbers.len()));
                }
                Some(Event::Said(key, value)) if key == SETTINGS => {
                    self.settings = Some(read(&key, &value)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn known(&mut self, number: usize, id: TrialId) {
        self.ids.resize(self.ids.len().max(number + 1), None);
        self.ids[number] = Some(id);
        self.numbers.push(number);
    }

    /// Gives up waiting for fits that no moment of the study belongs to.
    pub fn await_nothing(&mut self) {
        self.awaited = Fits::default();
    }

    fn recall(&mut self) {
        if self.awaited.is_empty() {
            return;
        }
        self.study.recall_fits(&self.awaited);
        self.awaited.keep_after(self.study.revision());
    }

    fn apply(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Made(trial) => self.made(trial),
            Event::Noted(trial, key) if key == PAID => {
                let entry = &self.archive.trials[trial];
                let (Some(id), Some(cost)) = (self.id(entry.number), entry.own.get(PAID)) else {
                    return Ok(());
                };
                let cost: f64 = read(PAID, cost)?;
                self.study.tell_cost(id, cost)
            }
            Event::Noted(..) => Ok(()),
            Event::Ended(trial) => self.ended(trial),
            Event::Said(key, value) => self.said(&key, &value),
        }
    }

    fn made(&mut self, trial: usize) -> Result<()> {
        let entry = &self.archive.trials[trial];
        let (number, has_ended) = (entry.number, entry.has_ended());
        let asked: Option<Asked> = entry.own.get(ASK).map(|asked| read(ASK, asked)).transpose()?;
        let policy: Option<Policy> =
            entry.own.get(POLICY).map(|policy| read(POLICY, policy)).transpose()?;
        let Some(asked) = asked.filter(|asked| self.is_at(entry, asked)) else {
            // Others made it, or copied it from a study of another space.
            self.archive.trials[trial].own.remove(ASK);
            return if has_ended { self.ended(trial) } else { Ok(()) };
        };
        let paid: Option<f64> = entry.own.get(PAID).map(|cost| read(PAID, cost)).transpose()?;
        self.reserve_others(Some(trial));
        let place = |error: Error| error.at(format_args!("trial {number}"));
        let id = self.study.reenter_asked(asked).map_err(place)?;
        self.known(number, id);
        policy.into_iter().for_each(|policy| self.study.recall_policy(policy));
        // One that was copied from another study came with its cost and its end.
        paid.map_or(Ok(()), |cost| self.study.tell_cost(id, cost)).map_err(place)?;
        if has_ended { self.ended(trial) } else { Ok(()) }
    }

    /// Whether a trial has the values of the point at which it was asked for.
    fn is_at(&self, entry: &Entry, asked: &Asked) -> bool {
        let Domain::Space(space) = self.study.domain() else { return true };
        if asked.unit.len() != space.dim() {
            return false;
        }
        let same = |(a, b): (&Value, &Value)| match (a.number(), b.number()) {
            // Machines differ in the last digits of exponential functions.
            (Some(a), Some(b)) => (a - b).abs() <= SAME * a.abs().max(b.abs()),
            _ => a == b,
        };
        space.values_at(&asked.unit).iter().zip(&self.values(entry)).all(same)
    }

    /// Enters the trials that others run, as far as they are known, so that their points are not
    /// suggested.
    pub fn reserve_others(&mut self, except: Option<usize>) {
        let trials = self.archive.studies[self.chapter].trials.clone();
        for trial in trials {
            let entry = &self.archive.trials[trial];
            let ours = entry.own.contains_key(ASK) || Some(trial) == except;
            if ours || entry.state != RUNNING || self.id(entry.number).is_some() {
                continue;
            }
            let number = entry.number;
            if let Ok((unit, row)) = self.study.place_of(&self.values(entry)) {
                let id = self.study.reserve(unit, row);
                self.known(number, id);
            }
        }
    }

    /// The kinds of the parameters, of a space.
    fn kinds(&self) -> Vec<Option<&ParameterKind>> {
        match self.study.domain() {
            Domain::Space(space) => {
                space.parameters().iter().map(|parameter| Some(parameter.kind())).collect()
            }
            Domain::Table(table) => table.names().map(|_| None).collect(),
        }
    }

    /// The values of a trial that somebody else made, in the order of the study's parameters.
    fn values(&self, entry: &Entry) -> Vec<Value> {
        let kinds = self.kinds();
        let names = self.study.names();
        let value = |(name, kind): (&String, _)| {
            let (_, internal, distribution) =
                entry.parameters.iter().find(|(known, ..)| known == name)?;
            Some(value_of(kind, &distribution.external(*internal)?))
        };
        names.iter().zip(kinds).map(|pair| value(pair).unwrap_or(Value::Absent)).collect()
    }

    /// What a trial that ended tells.
    fn told(&self, entry: &Entry) -> Result<Told> {
        let own: Option<Told> =
            entry.own.get(OUTCOME).map(|told| read(OUTCOME, told)).transpose()?;
        let value = entry.values.first().copied().filter(|value| value.is_finite());
        let end = match (entry.state, own.map(|own| own.end)) {
            (COMPLETE, _) if value.is_some() => End::Complete,
            // Nothing can be learned from an infinite outcome but that the trial failed.
            (COMPLETE, _) => End::Failed,
            (FAIL, Some(end)) => end,
            (FAIL, None) => End::Failed,
            _ => End::Withdrawn,
        };
        let is_learned = matches!(self.study.cost(), Cost::Learned);
        let paid = entry.own.contains_key(PAID);
        let seconds = || {
            let lasted = entry.ended?.duration_since(entry.started?).as_secs_f64();
            (lasted > 0.0).then_some(lasted)
        };
        let ours = entry.own.contains_key(ASK) || own.is_some();
        let cost = match entry.user.get(COST).and_then(Json::as_f64) {
            _ if paid => None,
            Some(cost) => Some(cost),
            // Others do not say what a trial cost, but when it began and ended.
            None if is_learned && !ours && end != End::Withdrawn => seconds(),
            None => None,
        };
        let value = value.filter(|_| end == End::Complete);
        let told = Told { end, value, cost, cost_later: false };
        Ok(Told { cost_later: !paid && self.comes_later(&told, None), ..told })
    }

    /// Whether the cost of a trial comes later, if there is a `known` one: it does if it is missing
    /// here and now. Whoever told the trial may have had another setting for costs.
    fn comes_later(&self, told: &Told, known: Option<f64>) -> bool {
        let is_learned = matches!(self.study.cost(), Cost::Learned);
        is_learned && told.end == End::Complete && told.cost.or(known).is_none()
    }

    fn ended(&mut self, trial: usize) -> Result<()> {
        let entry = &self.archive.trials[trial];
        let (number, told) = (entry.number, self.told(entry)?);
        let place = format!("trial {number}");
        if let Some(id) = self.id(number) {
            let ours = entry.own.contains_key(ASK);
            let same = ours || self.study.history()[id.index()].values == self.values(entry);
            match told.outcome().filter(|_| same) {
                None => self.study.withdraw(id)?,
                Some(outcome) => match self.study.tell(id, outcome) {
                    Ok(()) => return Ok(()),
                    // Somebody else told something that makes no sense.
                    Err(error) => {
                        self.left_out.insert(number, error.to_string());
                        return self.study.withdraw(id);
                    }
                },
            }
            if same {
                return Ok(());
            }
            // It got further parameters since.
            self.ids[number] = None;
        }
        let entry = &self.archive.trials[trial];
        let Some(outcome) = told.outcome() else {
            let why = if entry.state == FAIL { "it was withdrawn" } else { "it was pruned" };
            self.left_out.insert(number, why.to_owned());
            return Ok(());
        };
        let values = self.values(entry);
        match self.study.import(&values, outcome) {
            Ok(id) => self.known(number, id),
            Err(error) => {
                log::warn!("{place} of the journal is left out: {error}");
                self.left_out.insert(number, error.to_string());
            }
        }
        Ok(())
    }

    /// Goes on by other settings than the last ones of the file: with their policy, without what
    /// another rule kept, and without a verdict.
    pub fn go_on_by(&mut self, settings: &Described) {
        let before = self.settings.as_ref();
        if before == Some(settings) {
            return;
        }
        let (policy, rule) =
            (before.map(|before| &before.policy), before.map(|before| &before.rule));
        if policy != Some(&settings.policy) {
            self.study.recall_policy(settings.policy.clone());
        }
        if rule != Some(&settings.rule) {
            self.rule.clear();
            self.study.recall_rule(&[]);
        }
        self.study.forget_verdict();
    }

    fn said(&mut self, key: &str, value: &RawValue) -> Result<()> {
        match key {
            SETTINGS => {
                let settings: Described = read(key, value)?;
                self.go_on_by(&settings);
                self.settings = Some(settings);
                return Ok(());
            }
            VERDICT => {
                let judgment: Judgment = read(key, value)?;
                let change =
                    judgment.rule.unwrap_or(Change { keep: self.rule.len(), push: Vec::new() });
                change.apply(&mut self.rule);
                if self.study.revision() == judgment.revision {
                    self.study.recall_verdict(judgment.verdict, judgment.seconds, &self.rule);
                } else {
                    self.study.recall_rule(&self.rule);
                }
                return Ok(());
            }
            _ => {}
        }
        let Some((kind, number)) = key.rsplit_once(':') else { return Ok(()) };
        let number = number.parse().ok().and_then(|number: usize| self.id(number));
        let Some(id) = number else { return Ok(()) };
        match kind {
            TOLD | CORRECTED => {
                let told: Told = read(key, value)?;
                let known = self.study.history()[id.index()].cost;
                let told = Told { cost_later: self.comes_later(&told, known), ..told };
                let Some(outcome) = told.outcome() else { return Ok(()) };
                match kind {
                    TOLD => self.study.tell(id, outcome),
                    _ => self.study.correct(id, outcome),
                }
            }
            WITHDRAWN => self.study.withdraw(id),
            PAID_LATER => self.study.tell_cost(id, read(key, value)?),
            _ => Ok(()),
        }
        .map_err(|error| error.at(format_args!("the attribute {key}")))
    }

    /// What is written for a trial that is asked for or imported.
    pub fn parameters(&self, values: &[Value]) -> (HashMap<String, f64>, HashMap<String, String>) {
        let known = self.archive.studies.get(self.chapter).map(|study| &study.first);
        let kinds = self.kinds();
        let (mut parameters, mut distributions) = (HashMap::new(), HashMap::new());
        let named = self.study.names().iter().zip(values).zip(&self.distributions).zip(kinds);
        for (((name, value), own), kind) in named {
            let theirs = known.and_then(|first| first.get(name)).map(|(_, theirs)| theirs);
            let distribution = theirs
                .map_or_else(|| Distribution::clone(own), |theirs| own.in_manner_of(theirs, kind));
            if let Some(value) = distribution.internal(value) {
                parameters.insert(name.clone(), value);
                distributions.insert(name.clone(), distribution.write());
            }
        }
        (parameters, distributions)
    }

    /// The trials under way.
    pub fn under_way(&self) -> impl Iterator<Item = TrialId> {
        let trials = self.study.history().iter();
        trials.filter(|trial| trial.state == TrialState::Pending).map(|trial| trial.id)
    }
}

/// The last fits of a study among operations.
fn last_fits(operations: &[Operation], chapter: usize) -> Result<Fits> {
    let mut fits = Fits::default();
    let own = |operation: &&Operation| operation.study_id == Some(chapter);
    for operation in operations.iter().rev().filter(own) {
        let found: Fits = match operation.op_code {
            CREATE_TRIAL => {
                let own = |key: &str| operation.system_attrs.as_ref()?.get(key);
                let fit = |key: &str, wanted: bool| match own(key).filter(|_| wanted) {
                    Some(value) => read(key, value).map(Some),
                    None => Ok(None),
                };
                Fits {
                    first: fit(FIT, fits.first.is_none())?,
                    second: fit(SECOND, fits.second.is_none())?,
                }
            }
            STUDY_SYSTEM_ATTR => {
                let attribute = operation.system_attr.as_ref().and_then(|all| all.iter().next());
                match attribute {
                    Some((key, value)) if key == VERDICT || key == FITS => {
                        read::<WrittenFits>(key, value)?.into()
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        fits = Fits { first: fits.first.or(found.first), second: fits.second.or(found.second) };
        if fits.first.is_some() && fits.second.is_some() {
            break;
        }
    }
    Ok(fits)
}

/// The error of a journal without a study.
pub(super) fn no_study(name: Option<&str>) -> Error {
    let message = match name {
        Some(name) => format!("no study is named {name:?}"),
        None => "it has no study yet".to_owned(),
    };
    Error::new(ErrorKind::Data, message)
}
