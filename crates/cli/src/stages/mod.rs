//! `gittins run` with `[stages]`: trials report while they go on, and are left or resumed.
//!
//! ```text
//! line, bill, course     what a line says, what it costs, which reports are told
//! folder, follower       what lies in the folder of a trial; its output, while it grows
//! state, part            what the workers share; one process of a run
//! lost                   processes of runners that were killed
//! screen, report         what is seen while they go on, and at the end
//! ```

pub mod bill;
pub mod course;
mod folder;
mod follower;
pub mod line;
mod lost;
mod part;
mod report;
mod screen;
mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

pub use folder::folder_of;

use crate::code::Code;
use crate::console::Console;
use crate::desk;
use crate::failure::{At, Result};
use crate::file::{StagesFile, StudyFile};
use crate::lock;
use crate::process::Groups;
use crate::run::signals;
use folder::Folders;
use screen::Screen;
use state::Shared;

/// Works on runs in stages until the study ends.
pub fn run(
    file: StudyFile,
    stages: StagesFile,
    (arguments, place): (&[String], &str),
    console: Console,
) -> Result<Code> {
    let commands = stages.commands(&file, arguments).at(place)?;
    let mut screen = Screen::new(console.json, file.unit.clone());
    if let Some(words) = lock::words(&file.journal) {
        screen.say(&words);
    }
    let mut journal = file.open_for(commands.resumable)?;
    let folders = Folders::of(&journal);
    let settled = lost::settle_all(&mut journal, &folders, &stages)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let groups = Groups::default();
    signals::watch(interrupted.clone(), groups.clone())?;
    report::begin(&mut screen, &file, &journal, &settled);

    let workers = file.workers;
    let shared = Shared::new((file, stages), (journal, folders), screen, (groups, interrupted));
    thread::scope(|scope| {
        for worker in 0..workers {
            let (shared, commands) = (&shared, &commands);
            scope.spawn(move || {
                while let Some(task) = shared.next() {
                    part::make(shared, commands, task, worker);
                }
            });
        }
    });
    let (file, over) = (shared.file.clone(), shared.is_over());
    let mut state = shared.into_state();
    state.screen.finish();
    let ending = desk::ending(state.ended, over)?;
    report::end(&mut state.journal, &file, &ending, console)?;
    Ok(ending.exit_code())
}
