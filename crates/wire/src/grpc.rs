//! gRPC's messages on a stream, cut out as the bytes come.

/// One message. Its slice lives until the next call of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrpcMessage<'a, T> {
    /// Its bytes.
    pub data: &'a [u8],
    /// Its sender compressed it.
    pub is_compressed: bool,
    /// The tag of the feed that completed it.
    pub tag: T,
    /// Bytes of the stream that it took, the five in front of it included.
    pub wire_len: u32,
}

/// A message that is longer than anybody would send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTooLong {
    /// The length that was announced.
    pub length: u32,
}

/// Flag and length.
const HEAD: usize = 5;
/// Longest message.
const MAX_LENGTH: u32 = 512 << 20;
/// A buffer above this many bytes is given back by [`GrpcDecoder::clear`].
const KEEP: usize = 64 * 1024;

/// An incremental decoder. A message that lies within one feed is handed on without a copy.
#[derive(Clone, Debug, Default)]
pub struct GrpcDecoder {
    /// The beginning of a message whose end has not come yet.
    held: Vec<u8>,
}

impl GrpcDecoder {
    /// Takes the next bytes of the stream and hands each message that they complete to `sink`, in order.
    ///
    /// # Errors
    /// A message is announced that is too long. The stream cannot be read on.
    pub fn feed<T: Copy>(
        &mut self,
        bytes: &[u8],
        tag: T,
        mut sink: impl FnMut(GrpcMessage<'_, T>),
    ) -> Result<(), MessageTooLong> {
        let mut rest = bytes;
        while !self.held.is_empty() {
            let missing = match missing(&self.held)? {
                0 => {
                    if let Some(message) = message(&self.held, tag) {
                        sink(message);
                    }
                    self.held.clear();
                    break;
                }
                missing => missing,
            };
            if rest.is_empty() {
                return Ok(());
            }
            let (taken, behind) = rest.split_at(missing.min(rest.len()));
            self.held.extend_from_slice(taken);
            rest = behind;
        }
        while !rest.is_empty() {
            let missing = missing(rest)?;
            let Some(found) = message(rest, tag).filter(|_| missing == 0) else {
                self.held.extend_from_slice(rest);
                break;
            };
            let length = HEAD + found.data.len();
            sink(found);
            rest = &rest[length..];
        }
        Ok(())
    }

    /// Whether the stream, if it ends here, ends within a message.
    #[must_use]
    pub fn is_within_message(&self) -> bool {
        !self.held.is_empty()
    }

    /// Makes the decoder ready for another stream.
    pub fn clear(&mut self) {
        self.held.clear();
        if self.held.capacity() > KEEP {
            self.held = Vec::new();
        }
    }
}

/// Bytes that are still to come of what begins with `bytes`: to the end of its head, or if that is there of the message.
fn missing(bytes: &[u8]) -> Result<usize, MessageTooLong> {
    let Some(length) = length(bytes) else { return Ok(HEAD - bytes.len()) };
    if length > MAX_LENGTH {
        return Err(MessageTooLong { length });
    }
    Ok((HEAD + length as usize).saturating_sub(bytes.len()))
}

fn length(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(1..HEAD)?.try_into().ok()?))
}

/// The message at the beginning, if all of it is there.
fn message<T>(bytes: &[u8], tag: T) -> Option<GrpcMessage<'_, T>> {
    let length = length(bytes)?;
    let data = bytes.get(HEAD..HEAD + length as usize)?;
    let wire_len = length.saturating_add(HEAD as u32);
    Some(GrpcMessage { data, is_compressed: bytes.first() != Some(&0), tag, wire_len })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn framed(messages: &[Vec<u8>]) -> Vec<u8> {
        let framed = messages.iter().map(|message| {
            let head = [&[0][..], &u32::try_from(message.len()).unwrap().to_be_bytes()].concat();
            [head, message.clone()].concat()
        });
        framed.flatten().collect()
    }

    #[test]
    fn a_message_has_the_tag_of_the_feed_that_completed_it() {
        let mut decoder = GrpcDecoder::default();
        let mut seen = Vec::new();
        let bytes = [framed(&[b"ab".to_vec(), Vec::new()]), vec![1, 0, 0, 0, 1, b'z']].concat();
        for (tag, part) in [&bytes[..3], &bytes[3..6], &bytes[6..13], &bytes[13..]].into_iter().enumerate() {
            decoder.feed(part, tag, |m| seen.push((m.data.to_vec(), m.is_compressed, m.tag, m.wire_len))).unwrap();
        }
        assert_eq!(seen, [(b"ab".to_vec(), false, 2, 7), (Vec::new(), false, 2, 5), (b"z".to_vec(), true, 3, 6)]);
        assert!(!decoder.is_within_message());
        decoder.feed(&[0, 0], 4, |_| panic!("there is no message")).unwrap();
        assert!(decoder.is_within_message());
    }

    #[test]
    fn a_message_that_is_too_long_ends_the_reading() {
        let mut decoder = GrpcDecoder::default();
        let error = decoder.feed(b"HTTP/1.1 400", 0, |_| {}).unwrap_err();
        assert_eq!(error.length, u32::from_be_bytes(*b"TTP/"));
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6),
            cuts in prop::collection::vec(0..200_usize, 0..8),
        ) {
            let bytes = framed(&messages);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let (mut decoder, mut seen, mut at) = (GrpcDecoder::default(), Vec::new(), 0);
            for cut in cuts.into_iter().chain([bytes.len()]) {
                decoder.feed(&bytes[at..cut], (), |message| seen.push(message.data.to_vec())).unwrap();
                at = cut;
            }
            prop_assert_eq!(seen, messages);
            prop_assert!(!decoder.is_within_message());
        }
    }
}
