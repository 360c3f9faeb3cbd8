//! `gittins completions`, `man` and `schema`: what belongs to an installation.

use std::fs;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::words::code::{Code, DONE};
use crate::words::console;
use crate::words::failure::{At, Result};

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub fn run(&self, mut command: Command) -> Result<Code> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "gittins", &mut text);
        console::write(&text)?;
        Ok(DONE)
    }
}

/// Print the manual page, or write a page for each command into a folder.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// The folder; the page of gittins itself is printed unless set.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Man {
    /// Prints or writes them.
    pub fn run(&self, mut command: Command) -> Result<Code> {
        // Also gives the commands below it their full names.
        command.build();
        let Some(folder) = &self.out else {
            let mut text = Vec::new();
            Page::new(command).render(&mut text)?;
            console::write(&text)?;
            return Ok(DONE);
        };
        fs::create_dir_all(folder).at(folder.display())?;
        let below = command.get_subcommands().filter(|one| one.get_name() != "help");
        for one in [&command].into_iter().chain(below) {
            let name = one.get_display_name().unwrap_or("gittins").to_owned();
            let mut text = Vec::new();
            Page::new(one.clone()).render(&mut text)?;
            let path = folder.join(format!("{name}.1"));
            fs::write(&path, text).at(path.display())?;
        }
        Ok(DONE)
    }
}
