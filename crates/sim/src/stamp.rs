//! Reading a socket with the kernel's receive stamps.

use std::io;
use std::os::fd::BorrowedFd;

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StampedRead {
    /// Bytes; 0 at the end of the stream.
    pub(crate) len: usize,
    /// Wall time at which the kernel received the last segment of them, if it said so.
    pub(crate) wall_ns: Option<u64>,
}

/// Asks the kernel to stamp what a socket receives. Connections accepted from a listener inherit it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper sets SO_TIMESTAMPING")]
pub(crate) fn enable(socket: BorrowedFd<'_>) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let flags: libc::c_uint = libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    // SAFETY: the descriptor is open for the borrow's life, and pointer and length describe `flags`, which outlives the call.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPING,
            (&raw const flags).cast(),
            size_of_val(&flags) as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Receives what is there without waiting.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper reads SCM_TIMESTAMPING")]
pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<StampedRead> {
    use std::os::fd::AsRawFd;
    /// Room for control messages, aligned for their headers.
    #[repr(C, align(8))]
    struct Control([u8; 256]);
    let mut control = Control([0; 256]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all fields of a msghdr are integers and pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: the message points to one part over `buffer` and to `control`, both alive and writable during the call.
    let len = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_DONTWAIT) };
    let len = usize::try_from(len).map_err(|_| io::Error::last_os_error())?;
    let mut wall_ns = None;
    // SAFETY: recvmsg has filled in the message, whose control buffer is alive; the macros stay within it.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !header.is_null() {
        // SAFETY: the header is not null and lies within the control buffer.
        let found = unsafe { *header };
        if found.cmsg_level == libc::SOL_SOCKET && found.cmsg_type == libc::SCM_TIMESTAMPING {
            // SAFETY: the kernel puts three timespecs there, the first of which is the software stamp.
            let stamp: libc::timespec = unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast()) };
            wall_ns = wall_of(stamp.tv_sec as u64, stamp.tv_nsec as u64);
        }
        // SAFETY: both pointers come from the message and its control buffer.
        header = unsafe { libc::CMSG_NXTHDR(&raw const message, header) };
    }
    Ok(StampedRead { len, wall_ns })
}

/// A stamp of zero is none.
#[cfg(target_os = "linux")]
fn wall_of(seconds: u64, nanoseconds: u64) -> Option<u64> {
    let wall = seconds.saturating_mul(tokamark_clock::SECOND).saturating_add(nanoseconds);
    (wall > 0).then_some(wall)
}

/// There are no stamps on this platform.
#[cfg(not(target_os = "linux"))]
pub(crate) fn enable(_socket: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}

/// Receives what is there without waiting.
#[cfg(not(target_os = "linux"))]
pub(crate) fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<StampedRead> {
    let (len, _) = rustix::net::recv(socket, buffer, rustix::net::RecvFlags::empty())?;
    Ok(StampedRead { len, wall_ns: None })
}
