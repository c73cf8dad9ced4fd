//! The one system call that reads a socket: `recvmsg` with the kernel's receive stamp.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Room for one `scm_timestamping` control message (three `timespec`s) and its header, aligned as a header must be.
#[repr(C, align(8))]
struct Control([u8; 128]);

/// What one read gave.
pub(super) struct Received {
    /// Bytes read; 0 at the end of the stream.
    pub(super) length: usize,
    /// Wall time, in nanoseconds, at which the last segment of these bytes reached the kernel, if it says so.
    pub(super) kernel_wall_ns: Option<u64>,
}

/// Asks the kernel to stamp what this socket receives. `false` where it will not.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no safe wrapper knows SO_TIMESTAMPING for reads")]
pub(super) fn ask_for_stamps(socket: BorrowedFd<'_>) -> bool {
    let flags: libc::c_uint = libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    let size = std::mem::size_of_val(&flags);
    // SAFETY: the descriptor is borrowed and so open; the option's value is a live integer of the size given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            (&raw const flags).cast(),
            libc::socklen_t::try_from(size).unwrap_or(4),
        )
    };
    result == 0
}

/// Kernel stamps are known on Linux only.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_stamps(_socket: BorrowedFd<'_>) -> bool {
    false
}

/// Lets the kernel acknowledge every second segment (RFC 9293 §3.8.6.3) rather than each one as soon as it is read, which
/// costs as much as the read itself. A hint: nothing depends on it.
#[cfg(target_os = "linux")]
pub(super) fn delay_acknowledgements(socket: BorrowedFd<'_>) {
    let _ = rustix::net::sockopt::set_tcp_quickack(socket, false);
}

/// The option is Linux's.
#[cfg(not(target_os = "linux"))]
pub(super) fn delay_acknowledgements(_socket: BorrowedFd<'_>) {}

/// Reads what is there into `into`, without waiting. At least `Received::length` bytes of it are initialised afterwards.
#[expect(unsafe_code, reason = "no safe wrapper reads into uninitialised memory and gives receive stamps")]
pub(super) fn receive(socket: BorrowedFd<'_>, into: &mut [MaybeUninit<u8>]) -> io::Result<Received> {
    let mut control = MaybeUninit::<Control>::uninit();
    let mut slice = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // SAFETY: `msghdr` is plain data for which zeroes are valid (its padding differs between C libraries).
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut slice;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: the descriptor is open; the message points to one slice of writable memory and one control buffer, both
    // alive during the call and as long as they say.
    let result = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_DONTWAIT) };
    let length = usize::try_from(result).map_err(|_| io::Error::last_os_error())?;
    Ok(Received { length, kernel_wall_ns: stamp_of(&message) })
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "control messages are walked by C macros")]
fn stamp_of(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: the kernel filled the control buffer and set its length, and CMSG_FIRSTHDR checks that a header fits.
    let header = unsafe { libc::CMSG_FIRSTHDR(message).as_ref() }?;
    if header.cmsg_level != libc::SOL_SOCKET || header.cmsg_type != libc::SCM_TIMESTAMPING {
        return None;
    }
    // SAFETY: this type of message carries three timespecs; the first is the software stamp. Nothing is assumed of the
    // alignment of the data.
    let stamp: libc::timespec = unsafe { libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned() };
    let seconds = u64::try_from(stamp.tv_sec).ok().filter(|&seconds| seconds > 0)?;
    Some(seconds * tokamark_clock::SECOND + u64::try_from(stamp.tv_nsec).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn stamp_of(_message: &libc::msghdr) -> Option<u64> {
    None
}
