//! Wrong command lines: what the program says, and with which exit code.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::process::{Command, Output};

fn tokamark(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokamark"));
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "TOKAMARK_API_KEY"] {
        command.env_remove(variable).env_remove(variable.to_lowercase());
    }
    command.args(arguments).output().unwrap()
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stderr.clone()).unwrap())
}

#[test]
fn the_version_is_printed() {
    for flag in ["--version", "-V"] {
        let output = tokamark(&[flag]);
        assert_eq!(output.status.code(), Some(0));
        let expected = format!("tokamark {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn help_is_grouped_and_printed_to_stdout() {
    for arguments in
        [&["profile", "--help"][..], &["profile", "-m", "x", "-h"], &["profile", "--no-such-flag", "--help"]]
    {
        let output = tokamark(arguments);
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).unwrap();
        let places: Vec<usize> = ["\nEndpoint:\n", "\nLoad:\n", "\nInput:\n", "\nOutput:\n", "\nConnections:\n"]
            .iter()
            .map(|heading| help.find(heading).unwrap())
            .collect();
        assert!(places.is_sorted());
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    for (arguments, expected) in [
        (&["profile"][..], "error: --model: is required"),
        (&["profil"], "profile"),
        (&[], "Usage: tokamark <COMMAND>"),
        (&["--no-such-flag"], "--no-such-flag"),
        (&["profile", "-m", "x", "--concurrency", "0"], "error: --concurrency: must be at least 1, not 0"),
        (&["profile", "-m", "x", "--concurrency"], "error: --concurrency: needs a value"),
        (&["profile", "-m", "x", "--grace", "3"], "error: --grace: unknown flag"),
        (&["profile", "-m", "x", "-u", "ftp://h"], "the scheme `ftp`"),
        (&["profile", "-m", "x", "--request-count", "3", "--num-requests", "4"], "is given as `3` and as `4`"),
    ] {
        let (code, message) = said(&tokamark(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn three_bad_values_and_an_unknown_flag_are_told_together() {
    let (code, message) = said(&tokamark(&[
        "profile",
        "-m",
        "x",
        "--isl",
        "many",
        "--request-rate",
        "-1",
        "--slice-duration",
        "0",
        "--warmup",
        "3",
    ]));
    assert_eq!(code, Some(2));
    assert_eq!(
        message,
        "error: 4 problems with the command line\n  \
         --warmup: unknown flag; did you mean --warmup-request-count?\n  \
         --request-rate: must be above 0, not -1\n  \
         --isl: `many` is not a whole number\n  \
         --slice-duration: must be above 0, not 0\n\n\
         Nothing was sent. `tokamark profile --help` lists the flags.\n"
    );
}

#[test]
fn secrets_are_not_repeated() {
    let (code, message) = said(&tokamark(&[
        "profile",
        "--api-key",
        "hunter2",
        "-H",
        "Authorization: hunter2",
        "-H",
        "bad name: hunter2",
    ]));
    assert_eq!(code, Some(2));
    assert!(!message.contains("hunter2"), "{message}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args([OsStr::new("profile"), OsStr::new("-m"), OsStr::from_bytes(b"mod\xffel")])
        .output()
        .unwrap();
    assert_eq!(said(&output), (Some(2), "error: the argument `mod\u{fffd}el` is not valid UTF-8\n".to_owned()));
}
