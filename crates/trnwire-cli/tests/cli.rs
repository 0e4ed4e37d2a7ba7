//! Runs the sessions in `tests/cli`: see `tests/cli/README.md` for how they are written.
//!
//! `BLESS=1 cargo test -p trnwire-cli --test cli` rewrites the expected output; the review reads the diff.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("tests/cli"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "session"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no sessions found");
    let trials = files.into_iter().map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        Trial::test(name, move || compare_or_bless(&file, run_session))
    });
    let readme = Trial::test("readme", || compare_or_bless(&root().join("README.md"), run_readme));
    libtest_mimic::run(&Arguments::from_args(), trials.chain([readme]).collect()).exit();
}

fn root() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap()
}

/// Compares a file with what it should be, or rewrites it.
fn compare_or_bless(file: &Path, rerun: impl Fn(&str, &Path) -> Result<String, Failed>) -> Result<(), Failed> {
    let expected = fs::read_to_string(file)?;
    let directory = fresh_directory(file)?;
    std::os::unix::fs::symlink(root().join("tests"), directory.join("tests"))?;
    let actual = rerun(&expected, &directory)?;
    fs::remove_dir_all(&directory)?;
    if actual == expected {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        fs::write(file, actual)?;
        return Ok(());
    }
    Err(first_difference(&expected, &actual).into())
}

/// Reruns the commands in the README's console blocks; what they print follows them without marks.
fn run_readme(text: &str, directory: &Path) -> Result<String, Failed> {
    let mut actual = String::new();
    let mut in_console = false;
    for line in text.lines() {
        let command = line.strip_prefix("$ ").filter(|_| in_console);
        if line.starts_with("```") {
            in_console = line == "```console";
        }
        if !in_console || command.is_some() || line.starts_with("```") {
            actual.push_str(&format!("{line}\n"));
        }
        if let Some(command) = command {
            // Cargo would build and run the binary that these tests have built already.
            let command = command.replacen("cargo run --release --", "trnwire", 1);
            for line in run(&command, directory)?.lines().filter(|line| !line.starts_with("exit ")) {
                let printed = line.strip_prefix("| ").or_else(|| line.strip_prefix("! ")).unwrap_or_default();
                actual.push_str(&format!("{printed}\n"));
            }
        }
    }
    Ok(actual)
}

/// Reruns every command of a session. Comments and blank lines stay; what stood between a command and the next blank
/// line is replaced by what it prints.
fn run_session(text: &str, directory: &Path) -> Result<String, Failed> {
    let mut actual = String::new();
    let mut in_output = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            actual.push_str(&format!("{line}\n{}", run(command, directory)?));
            in_output = true;
        } else if line.is_empty() || line.starts_with('#') {
            actual.push_str(&format!("{line}\n"));
            in_output = false;
        } else if !in_output {
            return Err(format!("{line:?} follows no command").into());
        }
    }
    Ok(actual)
}

/// A directory of its own for the session, without leftovers of an earlier run.
fn fresh_directory(file: &Path) -> Result<PathBuf, Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file.file_stem().unwrap());
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// What a command prints: standard output behind `| `, standard error behind `! `, and the exit code unless it is 0.
fn run(command: &str, directory: &Path) -> Result<String, Failed> {
    let binary = Path::new(env!("CARGO_BIN_EXE_trnwire")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env_remove("NO_COLOR")
        .output()?;
    let mut text = String::new();
    for (mark, bytes) in [('|', &output.stdout), ('!', &output.stderr)] {
        for line in String::from_utf8(bytes.clone()).map_err(|_| "output is no text")?.lines() {
            text.push_str(format!("{mark} {line}").trim_end());
            text.push('\n');
        }
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => text.push_str(&format!("exit {code}\n")),
        None => return Err(format!("{command}: ended by a signal").into()),
    }
    Ok(text)
}

fn first_difference(expected: &str, actual: &str) -> String {
    let pairs = expected.lines().map(Some).chain([None]).zip(actual.lines().map(Some).chain([None]));
    let (number, (expected, actual)) = pairs.enumerate().find(|(_, (one, other))| one != other).unwrap();
    format!(
        "line {}:\n  expected {expected:?}\n  got      {actual:?}\nBLESS=1 rewrites the file",
        number.saturating_add(1)
    )
}
