//! What the system lacks for an adapter to be found, as far as files tell.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::finding::Finding;

const LOADER: &str = "libvulkan.so.1";
const LIBRARIES: [&str; 7] = [
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/run/opengl-driver/lib",
];
const DRIVERS: [&str; 4] = [
    "/usr/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/run/opengl-driver/share/vulkan/icd.d",
];

const INSTALL: &str = "\
to install on Linux
  Debian, Ubuntu  apt install libvulkan1 mesa-vulkan-drivers       AMD, Intel, and the software adapter llvmpipe
  Fedora          dnf install vulkan-loader mesa-vulkan-drivers    the same
  Arch            pacman -S vulkan-icd-loader, and vulkan-radeon, vulkan-intel or the software vulkan-swrast
  NVIDIA          the vendor's driver, which brings nvidia_icd.json: Debian nvidia-driver and nvidia-vulkan-icd, Ubuntu nvidia-driver-NNN
in a container
  NVIDIA          --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics: Vulkan comes with `graphics`; where the ICD file still
                  is missing, mount the host's: -v /usr/share/vulkan/icd.d:/usr/share/vulkan/icd.d:ro
  AMD, Intel      --device /dev/dri, and the packages above inside
";

/// What is missing, and how to get it. `nothing` says that there is not even a software adapter,
/// `hardware` that there is hardware without an adapter.
pub fn advice(nothing: bool, hardware: bool) -> Finding {
    if hardware {
        return Finding { json: json!({ "missing": null }), ..Finding::default() };
    }
    if !cfg!(target_os = "linux") {
        let text = "no hardware adapter: its own driver is all that macOS (Metal) and Windows (DirectX 12) need".to_string();
        return Finding { json: json!({ "missing": "driver" }), text };
    }
    let (loader, drivers) = (loader(), drivers());
    let names: Vec<String> = drivers.iter().map(|path| path.display().to_string()).collect();
    let nodes: Vec<&str> = ["/dev/dri", "/dev/nvidia0", "/dev/dxg"]
        .into_iter()
        .filter(|node| Path::new(node).exists())
        .collect();
    let (missing, sentence) = if !nothing {
        ("hardware", "only software adapters were found".to_string())
    } else if loader.is_none() {
        ("loader", format!("the Vulkan loader {LOADER} was not found"))
    } else if drivers.is_empty() {
        ("driver", "the Vulkan loader is there, but no driver's ICD file".to_string())
    } else {
        (
            "adapter",
            "loader and drivers are there, but no driver has an adapter to offer".to_string(),
        )
    };
    let list =
        |items: &[String]| if items.is_empty() { "none".to_string() } else { items.join(" ") };
    let nodes: Vec<String> = nodes.into_iter().map(str::to_string).collect();
    let text = format!(
        "{sentence}\n  loader       {}\n  ICD files    {}\n  device nodes {}\n\n{INSTALL}",
        loader.as_deref().unwrap_or("none"),
        list(&names),
        list(&nodes)
    );
    Finding {
        json: json!({ "missing": missing, "loader": loader, "icd_files": names, "device_nodes": nodes }),
        text,
    }
}

/// The place of the loader, from the linker's cache or in its usual folders.
fn loader() -> Option<String> {
    let cache = ["ldconfig", "/sbin/ldconfig"]
        .into_iter()
        .find_map(|program| Command::new(program).arg("-p").output().ok());
    let cached = cache.and_then(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .find(|line| line.contains(LOADER))
            .and_then(|line| line.split("=> ").nth(1))
            .map(str::to_string)
    });
    let own = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = env::split_paths(&own).chain(LIBRARIES.map(PathBuf::from));
    cached.or_else(|| {
        folders
            .map(|folder| folder.join(LOADER))
            .find(|path| path.exists())
            .map(|path| path.display().to_string())
    })
}

/// The files that tell the loader of drivers: those that the environment names, otherwise all in
/// the usual folders.
fn drivers() -> Vec<PathBuf> {
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(files) = env::var_os(variable) {
            return env::split_paths(&files).filter(|path| path.exists()).collect();
        }
    }
    let home = env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".local/share")));
    let folders =
        DRIVERS.map(PathBuf::from).into_iter().chain(home.map(|home| home.join("vulkan/icd.d")));
    let files = folders
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}
