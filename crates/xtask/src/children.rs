//! The server and the client of a measurement, each a process of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use tokamark_sim::TruthRecord;

/// A simulated engine with its log.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    log: PathBuf,
}

impl Server {
    pub(crate) fn start(binary: &Path, folder: &Path, options: &[&str]) -> anyhow::Result<Self> {
        let log = folder.join("truth.jsonl");
        let mut child = Command::new(binary)
            .args(["serve", "--port", "0", "--log"])
            .arg(&log)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let Some(url) = line.trim().strip_prefix("listening on ") else { bail!("the server said: {line:?}") };
        Ok(Self { url: url.to_owned(), child, log })
    }

    /// Ends the server and reads its log.
    pub(crate) fn stop(mut self) -> anyhow::Result<Vec<TruthRecord>> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        let file = BufReader::new(std::fs::File::open(&self.log)?);
        file.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a run of the client left.
pub(crate) struct ClientRun {
    pub(crate) folder: PathBuf,
    /// Wall time just before the process was started.
    pub(crate) started_wall_ns: u64,
    /// Resident memory in MiB, sampled while it ran.
    pub(crate) rss_mib: Vec<f64>,
}

/// Runs `tokamark profile` to its end.
pub(crate) fn profile(binary: &Path, folder: &Path, url: &str, options: &[&str]) -> anyhow::Result<ClientRun> {
    let results = folder.join("results");
    let started_wall_ns = tokamark_clock::wall_ns();
    let mut child = Command::new(binary)
        .args(["profile", "-m", "sim", "--url", url, "--tokenizer", "builtin", "--ui", "none", "--artifact-dir"])
        .arg(&results)
        .args(options)
        .stdout(Stdio::null())
        .spawn()?;
    let mut rss_mib = Vec::new();
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("the client ended with {status}");
            }
            return Ok(ClientRun { folder: results, started_wall_ns, rss_mib });
        }
        rss_mib.extend(resident_mib(child.id()));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

fn resident_mib(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}
