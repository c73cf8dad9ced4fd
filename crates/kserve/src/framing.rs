//! A message on a gRPC stream: a flag for compression, its length, its bytes.

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;

/// Bytes in front of each message: the flag and the length, most significant byte first.
pub const FRAME_HEAD: usize = 5;

/// A message as it goes onto the wire, not compressed. Messages of 4 GiB and more cannot be framed; none are made.
#[must_use]
pub fn frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut out = BytesMut::with_capacity(FRAME_HEAD + length);
    out.put_u8(0);
    out.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    out.put_slice(&message.encode_to_vec());
    out.freeze()
}

/// A message of its bytes, without what stood in front of them; none if they are no such message.
#[must_use]
pub fn read<M: Message + Default>(bytes: &[u8]) -> Option<M> {
    M::decode(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::ModelMetadataRequest;

    #[test]
    fn a_frame_is_flag_length_and_message() {
        let message = ModelMetadataRequest { name: "m1".to_owned(), version: String::new() };
        // Field 1, two bytes long; the empty version is not sent.
        assert_eq!(frame(&message).as_ref(), [0, 0, 0, 0, 4, 0x0a, 2, b'm', b'1']);
    }
}
