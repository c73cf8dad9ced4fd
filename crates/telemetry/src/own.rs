//! The client's own load, as the operating system counts it.

use std::fs;

use tokamark_record::ClientLoad;

/// Measures this process from its creation to [`OwnLoad::finish`].
#[derive(Clone, Copy, Debug)]
pub struct OwnLoad {
    start: (f64, f64),
}

impl OwnLoad {
    /// Starts measuring.
    #[must_use]
    pub fn start() -> Self {
        Self { start: cpu_seconds().unwrap_or_default() }
    }

    /// What was used since the start. Figures that the system does not give are 0 or absent.
    #[must_use]
    pub fn finish(&self) -> ClientLoad {
        let (user, system) = cpu_seconds().unwrap_or(self.start);
        ClientLoad {
            cpu_user_s: (user - self.start.0).max(0.0),
            cpu_system_s: (system - self.start.1).max(0.0),
            cores: std::thread::available_parallelism()
                .map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
            peak_rss_bytes: peak_rss_bytes().unwrap_or(0),
            open_files: fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64),
            open_files_limit: open_files_limit(),
            ephemeral_ports: ephemeral_ports(),
        }
    }
}

/// CPU seconds of this process so far, in user mode and in the kernel.
#[must_use]
pub fn cpu_seconds() -> Option<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold anything, so fields are counted from its end; utime and stime are 14 and 15.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / TICKS_PER_SECOND);
    Some((seconds()?, seconds()?))
}

/// The unit of `/proc/*/stat`: Linux fixes it at 100 for programs on every architecture in use.
const TICKS_PER_SECOND: f64 = 100.0;

fn peak_rss_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

fn open_files_limit() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
}

fn ephemeral_ports() -> Option<u64> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut bounds = range.split_ascii_whitespace().map(str::parse::<u64>);
    let (low, high) = (bounds.next()?.ok()?, bounds.next()?.ok()?);
    Some((high + 1).saturating_sub(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let own = OwnLoad::start();
        let mut sum = 0u64;
        // Enough work for several ticks of the kernel's clock.
        for number in 0..200_000_000u64 {
            sum = std::hint::black_box(sum.wrapping_add(number));
        }
        let load = own.finish();
        assert!(load.cpu_user_s + load.cpu_system_s > 0.0, "{load:?} {sum}");
        assert!(load.peak_rss_bytes > 100_000);
        assert!(load.open_files >= 3);
    }
}
