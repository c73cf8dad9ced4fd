//! Waking up on time.

use std::io;

use crate::now_ns;

/// How long before a sharp deadline the sleeper wakes up, to spend the rest awake. A core that sleeps takes about this long
/// to come back.
const AWAKE_NS: u64 = 60_000;
/// Deadlines that follow one another faster than this are not waited for awake: it would take a whole core.
const SHARP_GAP_NS: u64 = 8 * AWAKE_NS;

/// Sleeps to absolute instants. On Linux it is a timerfd in the runtime's reactor (late by some 0.05–0.1 ms);
/// elsewhere tokio's timer (late by a millisecond or two).
#[derive(Debug)]
pub struct Sleeper {
    #[cfg(target_os = "linux")]
    timer: tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Sleeper {
    /// A sleeper in the current tokio runtime.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    #[expect(
        deprecated,
        reason = "its successor is unsafe only for descriptors that may be closed early; this one is owned"
    )]
    pub fn new() -> io::Result<Self> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self { timer: tokio::io::unix::AsyncFd::with_interest(timer, tokio::io::Interest::READABLE)? })
    }

    /// Waits until the monotonic clock shows `deadline_ns`. Cancel safe.
    pub async fn sleep_until(&mut self, deadline_ns: u64) {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
        if deadline_ns <= now_ns() {
            return;
        }
        let value = Timespec {
            tv_sec: i64::try_from(deadline_ns / crate::SECOND).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(deadline_ns % crate::SECOND).unwrap_or(0),
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        if timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::ABSTIME, &once).is_err() {
            return coarse_sleep(deadline_ns).await;
        }
        // An expiry of an earlier, abandoned deadline may still be readable, so the clock decides.
        while now_ns() < deadline_ns {
            let Ok(mut ready) = self.timer.readable().await else {
                return coarse_sleep(deadline_ns).await;
            };
            let mut expirations = [0u8; 8];
            let _ = ready.try_io(|timer| rustix::io::read(timer, &mut expirations).map_err(io::Error::from));
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Sleeper {
    /// A sleeper in the current tokio runtime.
    ///
    /// # Errors
    /// None on this platform.
    pub fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits until the monotonic clock shows `deadline_ns`. Cancel safe.
    pub async fn sleep_until(&mut self, deadline_ns: u64) {
        coarse_sleep(deadline_ns).await;
    }
}

impl Sleeper {
    /// Waits like [`Sleeper::sleep_until`], but wakes up a little early and spends the last moments awake, so that what is
    /// due at the deadline happens within some microseconds of it. Where deadlines are too close together for that, it only
    /// sleeps. Cancel safe.
    pub async fn sleep_until_sharp(&mut self, deadline_ns: u64) {
        if deadline_ns.saturating_sub(now_ns()) < SHARP_GAP_NS {
            return self.sleep_until(deadline_ns).await;
        }
        self.sleep_until(deadline_ns - AWAKE_NS).await;
        while now_ns() < deadline_ns {
            std::hint::spin_loop();
        }
    }
}

async fn coarse_sleep(deadline_ns: u64) {
    let left = deadline_ns.saturating_sub(now_ns());
    tokio::time::sleep(std::time::Duration::from_nanos(left)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;

    #[tokio::test]
    async fn never_wakes_early() {
        let mut sleeper = Sleeper::new().unwrap();
        for step in [0, 1, 3, 2] {
            let deadline = now_ns() + step * MILLISECOND;
            sleeper.sleep_until(deadline).await;
            assert!(now_ns() >= deadline);
        }
    }

    #[tokio::test]
    async fn never_wakes_early_when_sharp() {
        let mut sleeper = Sleeper::new().unwrap();
        for step_us in [0, 10, 300, 700, 2_000] {
            let deadline = now_ns() + step_us * 1_000;
            sleeper.sleep_until_sharp(deadline).await;
            assert!(now_ns() >= deadline);
        }
    }

    #[tokio::test]
    async fn an_abandoned_deadline_does_not_wake_the_next() {
        let mut sleeper = Sleeper::new().unwrap();
        let first = now_ns() + MILLISECOND;
        tokio::select! {
            biased;
            () = sleeper.sleep_until(first) => {}
            () = std::future::ready(()) => {}
        }
        let second = now_ns() + 5 * MILLISECOND;
        sleeper.sleep_until(second).await;
        assert!(now_ns() >= second);
    }
}
