//! The command of a trial: its arguments and its environment.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process;
use std::sync::Arc;

use gittins::{Space, Value};

use crate::program::candidates::{Candidates, Searched};
use crate::program::template::{Piece, TRIAL, Template};
use crate::words::failure::{At, Failure, Result};

/// A command that can be filled with the values of a trial.
///
/// No shell takes part unless it was asked for: each argument of the template is at most one
/// argument of the process, whatever a value contains.
#[derive(Debug, Clone)]
pub struct Command {
    arguments: Vec<Argument>,
    /// The names whose placeholders its arguments have, or whose variables of a run in stages.
    names: BTreeSet<String>,
    /// The parameters' names and their variables.
    variables: Vec<(String, String)>,
    /// The table whose rows are tried, if there is one.
    candidates: Option<Arc<Candidates>>,
}

#[derive(Debug, Clone)]
struct Argument {
    template: Template,
    /// Whether it goes away together with the next one.
    leads: bool,
}

/// What the file says of how the command is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Whether a shell runs it.
    pub shell: bool,
    /// Whether values may travel by the environment alone.
    pub environment: bool,
    /// Whether a trial is a run in stages, which has [`STAGES`].
    pub stages: bool,
    /// Whether a stage is a batch of items, which has [`ITEMS`] too.
    pub items: bool,
}

/// What a run in stages has besides its values: the folder of its checkpoint, the progress at which
/// it may end by itself, and the progress from which it goes on, which one that begins has not.
pub const STAGES: [&str; 3] = ["checkpoint", "until", "resume"];

/// The numbers of the items of a stage, with commas.
pub const ITEMS: &str = "items";

/// Names whose variables mean something else.
const RESERVED: [&str; 5] =
    [TRIAL_VARIABLE, WORKER_VARIABLE, "GITTINS_BACKEND", "GITTINS_ADAPTER", "GITTINS_CACHE"];

/// The variable of the trial's number.
const TRIAL_VARIABLE: &str = "GITTINS_TRIAL";

/// The variable of the worker's number, from 0: which card or which machine is its own.
const WORKER_VARIABLE: &str = "GITTINS_WORKER";

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// No program; placeholders that name no parameter; a parameter that reaches the command
    /// neither by a placeholder nor by the environment, because two have one variable or the
    /// variable means something else; a parameter that may be absent inside a longer argument; in a
    /// shell a placeholder within quotes.
    pub fn new<'f>(
        arguments: &[String],
        searched: impl Into<Searched<'f>>,
        reading: Reading,
    ) -> Result<Self> {
        let searched = searched.into();
        let program = arguments.first().filter(|program| !program.is_empty());
        if program.is_none() {
            return Err(Failure::new("a command needs a program"));
        }
        let Searched { space: parameters, candidates } = searched;
        check_names(parameters, reading)?;
        let told = searched.told();
        let space = &if reading.stages { with_stages(&told, reading) } else { told };
        let variables = variables(space);
        let templates: Vec<Template> = arguments
            .iter()
            .enumerate()
            .map(|(index, text)| {
                Template::parse(text, space).at(format_args!("argument {index} of the command"))
            })
            .collect::<Result<_>>()?;
        match (reading.environment, candidates) {
            (true, _) => check_variables(&templates, parameters)?,
            (false, None) => check_all_used(&templates, parameters)?,
            (false, Some(candidates)) => candidates.check_told(|name| is_used(&templates, name))?,
        }
        let by_variable = (STAGES.into_iter())
            .chain([ITEMS])
            .filter(|name| arguments.iter().any(|text| reads(text, name)));
        let names = templates.iter().flat_map(Template::names).chain(by_variable);
        let names = names.map(str::to_owned).collect();
        let arguments = if reading.shell {
            shell(arguments, &templates, space, &variables)?
        } else {
            plain(templates, space)?
        };
        Ok(Self { arguments, names, variables, candidates: candidates.cloned() })
    }

    /// Whether an argument has the placeholder of this name, or its variable if a run in stages has it.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The arguments of a trial by all values that it may be told, the program first.
    pub fn fill(&self, trial: usize, values: &[Value]) -> Vec<OsString> {
        let value = |name: &str| {
            let index = self.variables.iter().position(|(known, _)| known == name);
            index.and_then(|index| values.get(index)).cloned().unwrap_or(Value::Absent)
        };
        let mut filled: Vec<OsString> = Vec::new();
        let mut leads = false;
        for argument in &self.arguments {
            match argument.template.fill(trial, value) {
                Some(text) => filled.push(text.into()),
                None if leads => drop(filled.pop()),
                None => {}
            }
            leads = argument.leads;
        }
        filled
    }

    /// The values; of a table what stands in the cells of the row, the modeled columns first.
    fn told<'v>(&self, values: &'v [Value]) -> Cow<'v, [Value]> {
        let Some(candidates) = &self.candidates else { return values.into() };
        let (modeled, rest) = values.split_at(candidates.table.names().count().min(values.len()));
        let cells = candidates.cells_of(modeled).unwrap_or(modeled);
        [cells, rest].concat().into()
    }

    /// The process of a trial, not started yet.
    pub fn process(
        &self,
        (trial, worker): (usize, usize),
        values: &[Value],
        directory: Option<&Path>,
    ) -> process::Command {
        let values = &*self.told(values);
        let arguments = self.fill(trial, values);
        let mut command = process::Command::new(&arguments[0]);
        command.args(&arguments[1..]);
        command.env(TRIAL_VARIABLE, trial.to_string()).env(WORKER_VARIABLE, worker.to_string());
        for ((_, variable), value) in self.variables.iter().zip(values) {
            match value {
                Value::Absent => command.env_remove(variable),
                value => command.env(variable, value.to_string()),
            };
        }
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        command
    }
}

/// Whether a placeholder of this name means something else than a value.
pub fn is_placeholder(name: &str) -> bool {
    let of_stages = || STAGES.into_iter().chain([ITEMS]);
    name == TRIAL || of_stages().any(|other| variable(other) == variable(name))
}

/// Whether a text has the variable of a name, as a shell or a script reads it.
fn reads(text: &str, name: &str) -> bool {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let variable = variable(name);
    text.match_indices(&variable).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + variable.len()..];
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
}

/// The variable of a parameter: `GITTINS_` and the name in capitals, with `_` for whatever is
/// neither a letter of the English alphabet nor a digit.
pub fn variable(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' }
    });
    "GITTINS_".chars().chain(letters).collect()
}

/// The space with what a run in stages has besides its values. Only names and conditions count.
fn with_stages(space: &Space, reading: Reading) -> Space {
    let [checkpoint, until, resume] = STAGES;
    let space = space.clone().choice(checkpoint, ["new", "kept"]).float(until, 0.0, 1.0);
    let space = space.float(resume, 0.0, 1.0).when(checkpoint, ["kept"]);
    if reading.items { space.choice(ITEMS, ["some", "others"]) } else { space }
}

/// Checks that no parameter has the name of another placeholder, or its variable.
fn check_names(space: &Space, reading: Reading) -> Result<()> {
    let of_stages = STAGES.into_iter().filter(|_| reading.stages);
    let of_stages: Vec<String> =
        of_stages.chain(reading.items.then_some(ITEMS)).map(variable).collect();
    let taken = |name: &&str| of_stages.contains(&variable(name)) || *name == TRIAL;
    match space.names().find(taken) {
        Some(name) => Err(Failure::new(format!(
            "the parameter {name:?} needs another name: the variable {} has a meaning of its own",
            variable(name)
        ))),
        None => Ok(()),
    }
}

/// Why a parameter of some has no variable that a command could read; none if it has one.
pub fn shared(name: &str, mut names: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let own = variable(name);
    if RESERVED.contains(&own.as_str()) {
        return Some(format!(
            "the parameter {name:?} needs another name: the variable {own} has a meaning of its own"
        ));
    }
    let other = names.find(|other| other.as_ref() != name && variable(other.as_ref()) == own)?;
    let other = other.as_ref();
    Some(format!(
        "the parameters {other:?} and {name:?} have one variable, {own}: one of them needs another name"
    ))
}

/// The parameters' names and their variables. One that has none of its own to be read by gets one
/// for the text of a shell.
fn variables(space: &Space) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    for (index, name) in space.names().enumerate() {
        let mut found = variable(name);
        if shared(name, space.names()).is_some() {
            found = format!("GITTINS_PARAMETER_{index}");
            while space.names().any(|other| variable(other) == found) {
                found.push('_');
            }
        }
        variables.push((name.to_owned(), found));
    }
    variables
}

/// Whether a text has the placeholder of this name.
fn is_used(templates: &[Template], name: &str) -> bool {
    templates.iter().any(|template| template.names().any(|one| one == name))
}

/// Checks that each parameter without a placeholder has a variable of its own.
fn check_variables(templates: &[Template], space: &Space) -> Result<()> {
    let mut unused = space.names().filter(|name| !is_used(templates, name));
    match unused.find_map(|name| Some((name, shared(name, space.names())?))) {
        None => Ok(()),
        Some((name, why)) => Err(Failure::new(format!(
            "{why}, or each of them a place in the command, such as {{{name}}}"
        ))),
    }
}

fn check_all_used(templates: &[Template], space: &Space) -> Result<()> {
    let unused: Vec<String> = space
        .names()
        .filter(|name| !is_used(templates, name))
        .map(|name| format!("{{{name}}}"))
        .collect();
    if unused.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the command never gets {}; put it into an argument, or set environment = true if the command reads {} and the like",
        unused.join(", "),
        variable(unused[0].trim_matches(['{', '}']))
    )))
}

/// Whether a parameter may be absent.
fn may_be_absent(space: &Space, name: &str) -> bool {
    space
        .parameters()
        .iter()
        .any(|parameter| parameter.name() == name && !parameter.conditions().is_empty())
}

/// Whether an argument may have nothing to say.
fn may_vanish(template: &Template, space: &Space) -> bool {
    template.pieces.iter().any(|piece| match piece {
        Piece::Value(name) => may_be_absent(space, name),
        Piece::Switch(_, _, no) => no.is_none(),
        Piece::Text(_) | Piece::Trial => false,
    }) || template.names().any(|name| may_be_absent(space, name))
}

/// Arguments without a shell.
fn plain(templates: Vec<Template>, space: &Space) -> Result<Vec<Argument>> {
    let vanishes: Vec<bool> =
        templates.iter().map(|template| may_vanish(template, space)).collect();
    for (index, template) in templates.iter().enumerate().filter(|(index, _)| vanishes[*index]) {
        if index == 0 {
            return Err(Failure::new("the program must be there in each trial"));
        }
        if !stands_alone(template) {
            let name = template.names().find(|name| may_be_absent(space, name));
            let name = name.or(template.names().next()).unwrap_or_default().to_owned();
            return Err(Failure::new(format!(
                "argument {index} of the command: {name:?} may be absent, so {{{name}}} must be an argument of its own, or --option={{{name}}}"
            )));
        }
    }
    // A switch and `--option={name}` go alone: what stands before them is no option of theirs.
    let takes_along = |index: usize| {
        vanishes.get(index).is_some_and(|&vanishes| vanishes)
            && matches!(templates[index].pieces[..], [Piece::Value(_)])
    };
    let leads: Vec<bool> = templates
        .iter()
        .enumerate()
        .map(|(index, template)| is_option(template) && takes_along(index + 1))
        .collect();
    let arguments = templates.into_iter().zip(leads);
    Ok(arguments.map(|(template, leads)| Argument { template, leads }).collect())
}

/// Whether nothing is lost if the whole argument goes: `{name}`, `{name?yes}` or `--option={name}`.
fn stands_alone(template: &Template) -> bool {
    match &template.pieces[..] {
        [Piece::Value(_) | Piece::Switch(..)] => true,
        [Piece::Text(option), Piece::Value(_)] => {
            option.starts_with('-')
                && option.ends_with('=')
                && option.matches('=').count() == 1
                && !option.contains(char::is_whitespace)
        }
        _ => false,
    }
}

/// Whether an argument is an option that may have its value in the next one: `-o` or `--option`.
fn is_option(template: &Template) -> bool {
    match &template.pieces[..] {
        [Piece::Text(text)] => {
            let name = text.trim_start_matches('-');
            name.len() < text.len()
                && name.starts_with(|letter: char| letter.is_alphabetic())
                && !name.contains(['=', ' '])
        }
        _ => false,
    }
}

/// One text for a shell. A value stands there as a variable in double quotes. So a shell never
/// reads a value as anything but text.
fn shell(
    texts: &[String],
    templates: &[Template],
    space: &Space,
    variables: &[(String, String)],
) -> Result<Vec<Argument>> {
    let [template] = templates else {
        return Err(Failure::new(format!(
            "a shell takes the command as one text, got {} arguments; put quotes around all of it",
            templates.len()
        )));
    };
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| known == name);
        found.map_or_else(|| variable(name), |(_, variable)| variable.clone())
    };
    let mut script = String::new();
    let mut quotes = Quotes::default();
    for piece in &template.pieces {
        let variable = match piece {
            Piece::Text(text) => {
                text.chars().for_each(|letter| quotes.read(letter));
                script += text;
                continue;
            }
            Piece::Trial => TRIAL_VARIABLE.to_owned(),
            Piece::Value(name) if may_be_absent(space, name) => {
                let variable = variable(name);
                return Err(Failure::new(format!(
                    "{name:?} may be absent; in a shell write ${{{variable}:+--option \"${variable}\"}}, with braces doubled, and set environment = true"
                )));
            }
            Piece::Value(name) => variable(name),
            Piece::Switch(name, ..) => {
                return Err(Failure::new(format!(
                    "a switch on {name:?} is for arguments without a shell"
                )));
            }
        };
        if quotes.inside() {
            return Err(Failure::new(format!(
                "a placeholder stands within quotes in {:?}; take the quotes away: a value is quoted by itself",
                texts[0]
            )));
        }
        script += &format!("\"${{{variable}}}\"");
    }
    let argument = |text: String| Argument {
        template: Template { pieces: vec![Piece::Text(text)] },
        leads: false,
    };
    Ok(["sh".to_owned(), "-c".to_owned(), script].map(argument).into())
}

/// Whether a place of a shell's text lies within quotes.
#[derive(Default)]
struct Quotes {
    open: Option<char>,
    escaped: bool,
}

impl Quotes {
    fn read(&mut self, letter: char) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match (self.open, letter) {
            (None | Some('"'), '\\') => self.escaped = true,
            (None, '\'' | '"') => self.open = Some(letter),
            (Some(open), letter) if open == letter => self.open = None,
            _ => {}
        }
    }

    fn inside(&self) -> bool {
        self.open.is_some() || self.escaped
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
