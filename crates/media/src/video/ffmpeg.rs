//! The program `ffmpeg`: where it is, and how it is run without ever waiting for it in vain.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::MediaError;

/// How long one clip may take unless told otherwise.
const LIMIT: Duration = Duration::from_secs(60);

/// The longest pause between two looks at whether the program has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// How much of what the program writes is kept.
const KEPT_BYTES: usize = 1 << 20;

/// The program `ffmpeg`.
#[derive(Clone, Debug)]
pub struct Ffmpeg {
    program: PathBuf,
    limit: Duration,
}

/// How a run ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// What it wrote as its result.
    pub(super) output: Vec<u8>,
    /// The last lines of what it wrote as its messages.
    pub(super) said: String,
}

impl Ffmpeg {
    /// The `ffmpeg` on PATH.
    ///
    /// # Errors
    /// None is there.
    pub fn find() -> Result<Self, MediaError> {
        Self::find_in(env::var_os("PATH").as_deref())
    }

    /// The first `ffmpeg` in a list of folders that is written as PATH is.
    ///
    /// # Errors
    /// None is there.
    pub fn find_in(folders: Option<&OsStr>) -> Result<Self, MediaError> {
        let name = format!("ffmpeg{}", env::consts::EXE_SUFFIX);
        let mut programs = env::split_paths(folders.unwrap_or_default()).map(|folder| folder.join(&name));
        programs.find(|program| is_executable(program)).map(Self::at).ok_or(MediaError::NoFfmpeg)
    }

    /// The `ffmpeg` of a path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), limit: LIMIT }
    }

    /// Changes how long one clip may take, which is 60 seconds at first.
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Checks that the program runs and has the encoders, each the name of an encoder or of what one encodes.
    pub(super) fn check_encoders<'a>(&self, encoders: impl IntoIterator<Item = &'a str>) -> Result<(), MediaError> {
        let ended = self.run(&["-hide_banner".into(), "-encoders".into()], |_| Ok(()))?;
        if !ended.status.success() {
            return Err(MediaError::Ffmpeg { status: ended.status, said: ended.said });
        }
        let list = String::from_utf8_lossy(&ended.output);
        for encoder in encoders {
            let codec = format!("(codec {encoder})");
            if !list.lines().any(|line| line.split_whitespace().nth(1) == Some(encoder) || line.contains(&codec)) {
                return Err(MediaError::NoEncoder { program: self.program.clone(), encoder: encoder.into() });
            }
        }
        Ok(())
    }

    /// Runs the program on what `feed` writes. What is written and read goes through threads of its own, which end
    /// with the program, so that neither side can block the other; the program is killed at the limit.
    pub(super) fn run(
        &self,
        arguments: &[OsString],
        feed: impl FnOnce(&mut dyn Write) -> std::io::Result<()> + Send + 'static,
    ) -> Result<Ended, MediaError> {
        let start = |source| MediaError::FfmpegStart { program: self.program.clone(), source };
        let mut child = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that stops reading has its reasons, which its status and its messages tell.
            thread::spawn(move || feed(&mut stdin).is_ok());
        }
        let output = child.stdout.take().map(Heard::new);
        let messages = child.stderr.take().map(Heard::new);
        let status = wait(&mut child, self.limit).map_err(start)?;
        let said = last_lines(&messages.map(Heard::into_bytes).unwrap_or_default());
        match status {
            Some(status) => Ok(Ended { status, output: output.map(Heard::into_bytes).unwrap_or_default(), said }),
            None => Err(MediaError::FfmpegStuck { limit_s: self.limit.as_secs_f64(), said }),
        }
    }
}

/// Waits for a program to end; none if it had to be killed at the limit. Pauses are counted rather than a clock read.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if waited >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(PAUSE);
    }
}

/// What is read from a pipe by a thread of its own.
struct Heard {
    bytes: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Heard {
    /// Starts to read, keeping the end of what comes.
    fn new(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = channel();
        let kept = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut chunk = [0; 8_192];
            while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..length]);
                let surplus = kept.len().saturating_sub(KEPT_BYTES);
                kept.drain(..surplus);
            }
            end.send(()).is_ok()
        });
        Self { bytes, ended }
    }

    /// What has come once the program has ended. A child of its own may hold the pipe open, hence not for long.
    fn into_bytes(self) -> Vec<u8> {
        // Both an end and none in time are fine: what has come is what there is.
        let _ = self.ended.recv_timeout(Duration::from_secs(1));
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The last three lines of some messages.
fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> = text
        .lines()
        .rev()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(3)
        .map(|line| line.chars().take(300).collect())
        .collect();
    lines.reverse();
    if lines.is_empty() { "it said nothing".into() } else { lines.join("; ") }
}

/// Whether a path is that of a program.
fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_in_order() {
        assert_eq!(last_lines(b"one\ntwo\n\nthree\r\n  four \n"), "two; three; four");
        assert_eq!(last_lines(b"\n \n"), "it said nothing");
        assert_eq!(last_lines(&[b'x'; 1_000]).len(), 300);
    }
}
