//! Pictures as files.

use std::fs;
use std::io;
use std::path::Path;

use chart::Panel;

use crate::Result;

/// Writes panels above each other as one picture.
///
/// # Errors
/// If the file cannot be written.
pub fn write_picture(path: &Path, panels: impl IntoIterator<Item = Panel>) -> Result<()> {
    let written = fs::write(path, Panel::stacked(panels).svg());
    Ok(written.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?)
}
