//! The bytes of one record: variable-length integers, times as differences, so that an event takes some eight bytes.

use tokamark_wire::{EventFlags, Usage};

use crate::{Event, Failure, FailureKind, Outcome, Phase, RequestRecord, Times};

/// Appends the record to `out`.
pub(crate) fn encode(record: &RequestRecord, out: &mut Vec<u8>) {
    let base = record.times.scheduled;
    put(out, record.seq);
    out.push(match record.phase {
        Phase::Warmup => 0,
        Phase::Profiling => 1,
    });
    for number in [
        record.worker.into(),
        record.session,
        record.turn.into(),
        record.dataset_row,
        record.url_index.into(),
        record.model_index.into(),
        record.attempt.into(),
        u64::from(record.connection_reused) | u64::from(record.streamed) << 1,
        base,
        record.bytes_out,
        record.bytes_in,
        record.status.into(),
    ] {
        put(out, number);
    }
    put_difference(out, record.times.slot, base);
    put_difference(out, record.times.built, base);
    put_difference(out, record.times.end, base);
    for time in [
        record.times.connect_start,
        record.times.connect_end,
        record.times.tls_end,
        record.times.send_start,
        record.times.send_end,
        record.times.headers,
        record.times.first_byte,
        record.times.body_end,
    ] {
        put_option(out, time.map(|time| zigzag(time, base)));
    }
    for number in [
        record.requested_output_tokens,
        record.local_input_tokens,
        record.local_output_tokens,
        record.local_reasoning_tokens,
    ] {
        put_option(out, number);
    }
    put_usage(out, record.usage.as_ref());
    put_text(out, record.finish_reason.as_deref());
    match &record.outcome {
        Outcome::Ok => out.push(0),
        Outcome::Cancelled => out.push(1),
        Outcome::Failed(failure) => {
            out.push(2);
            put_text(out, Some(failure.kind.name()));
            put_text(out, failure.code.as_deref());
            put_text(out, failure.label.as_deref());
            put_text(out, Some(&failure.message));
        }
    }
    put(out, record.events.len() as u64);
    let mut last = (base, 0u64);
    for event in &record.events {
        put_difference(out, event.arrival, last.0);
        put_difference(out, event.read, event.arrival);
        put_difference(out, event.read_number.into(), last.1);
        put(out, event.bytes.into());
        put(out, event.flags.bits().into());
        for length in [event.reasoning_len, event.content_len, event.tool_len] {
            put(out, length.into());
        }
        last = (event.arrival, event.read_number.into());
    }
    put_text(out, Some(&record.text));
}

/// Reads a record; `None` if the bytes are not one.
pub(crate) fn decode(bytes: &[u8]) -> Option<RequestRecord> {
    let mut input = Input(bytes);
    let seq = input.number()?;
    let phase = match input.byte()? {
        0 => Phase::Warmup,
        1 => Phase::Profiling,
        _ => return None,
    };
    let worker = input.small()?;
    let session = input.number()?;
    let turn = input.small()?;
    let dataset_row = input.number()?;
    let (url_index, model_index, attempt) = (input.small()?, input.small()?, input.small()?);
    let bits = input.number()?;
    let base = input.number()?;
    let (bytes_out, bytes_in, status) = (input.number()?, input.number()?, input.small()?);
    let (slot, built, end) = (input.difference(base)?, input.difference(base)?, input.difference(base)?);
    let mut time = || Some(input.option()?.map(|value| unzigzag(value, base)));
    let times = Times {
        scheduled: base,
        slot,
        built,
        end,
        connect_start: time()?,
        connect_end: time()?,
        tls_end: time()?,
        send_start: time()?,
        send_end: time()?,
        headers: time()?,
        first_byte: time()?,
        body_end: time()?,
    };
    let (requested_output_tokens, local_input_tokens) = (input.option()?, input.option()?);
    let (local_output_tokens, local_reasoning_tokens) = (input.option()?, input.option()?);
    let usage = input.usage()?;
    let finish_reason = input.text()?;
    let outcome = match input.byte()? {
        0 => Outcome::Ok,
        1 => Outcome::Cancelled,
        2 => {
            let name = input.text()??;
            let kind = FailureKind::ALL.into_iter().find(|kind| kind.name() == name)?;
            Outcome::Failed(Failure { kind, code: input.text()?, label: input.text()?, message: input.text()?? })
        }
        _ => return None,
    };
    let events = input.events(base)?;
    let text = input.text()??;
    Some(RequestRecord {
        seq,
        phase,
        worker,
        session,
        turn,
        dataset_row,
        url_index,
        model_index,
        attempt,
        connection_reused: bits & 1 != 0,
        streamed: bits & 2 != 0,
        times,
        bytes_out,
        bytes_in,
        status,
        requested_output_tokens,
        local_input_tokens,
        local_output_tokens,
        local_reasoning_tokens,
        usage,
        finish_reason,
        outcome,
        events,
        text,
    })
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "what is left has seven bits")]
    out.push(number as u8);
}

/// The difference of two numbers, small if they are near whichever is larger.
fn zigzag(value: u64, base: u64) -> u64 {
    let difference = value.wrapping_sub(base).cast_signed();
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn unzigzag(number: u64, base: u64) -> u64 {
    base.wrapping_add((number >> 1) ^ (number & 1).wrapping_neg())
}

fn put_difference(out: &mut Vec<u8>, value: u64, base: u64) {
    put(out, zigzag(value, base));
}

fn put_option(out: &mut Vec<u8>, number: Option<u64>) {
    match number {
        None => out.push(0),
        Some(number) => {
            out.push(1);
            put(out, number);
        }
    }
}

fn put_text(out: &mut Vec<u8>, text: Option<&str>) {
    put_option(out, text.map(|text| text.len() as u64));
    out.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn put_usage(out: &mut Vec<u8>, usage: Option<&Usage>) {
    out.push(u8::from(usage.is_some()));
    if let Some(usage) = usage {
        for number in [
            usage.prompt,
            usage.completion,
            usage.total,
            usage.reasoning,
            usage.cache_read,
            usage.cache_write,
            usage.accepted_prediction,
            usage.rejected_prediction,
        ] {
            put_option(out, number);
        }
    }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn difference(&mut self, base: u64) -> Option<u64> {
        Some(unzigzag(self.number()?, base))
    }

    fn option(&mut self) -> Option<Option<u64>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(self.number()?)),
            _ => None,
        }
    }

    fn slice(&mut self, length: u64) -> Option<&'a [u8]> {
        let (slice, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(slice)
    }

    fn text(&mut self) -> Option<Option<String>> {
        let Some(length) = self.option()? else { return Some(None) };
        let text = std::str::from_utf8(self.slice(length)?).ok()?;
        Some(Some(text.to_owned()))
    }

    fn usage(&mut self) -> Option<Option<Usage>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(Usage {
                prompt: self.option()?,
                completion: self.option()?,
                total: self.option()?,
                reasoning: self.option()?,
                cache_read: self.option()?,
                cache_write: self.option()?,
                accepted_prediction: self.option()?,
                rejected_prediction: self.option()?,
            })),
            _ => None,
        }
    }

    fn events(&mut self, base: u64) -> Option<Vec<Event>> {
        let count = usize::try_from(self.number()?).ok()?;
        // An event takes eight bytes at least, so a count that is out of all proportion is not believed.
        if count > self.0.len() / 8 {
            return None;
        }
        let mut events = Vec::with_capacity(count);
        let mut last = (base, 0);
        for _ in 0..count {
            let arrival = self.difference(last.0)?;
            let read = self.difference(arrival)?;
            let read_number = u32::try_from(self.difference(last.1)?).ok()?;
            let bytes = self.small()?;
            let flags = EventFlags::from_bits(self.small()?);
            let (reasoning_len, content_len, tool_len) = (self.small()?, self.small()?, self.small()?);
            events.push(Event { arrival, read, read_number, bytes, flags, reasoning_len, content_len, tool_len });
            last = (arrival, read_number.into());
        }
        Some(events)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with something in every column.
    pub(crate) fn full_record(seq: u64) -> RequestRecord {
        let event = |arrival, flags, content_len| Event {
            arrival,
            read: arrival + 17,
            read_number: 3,
            bytes: 240,
            flags,
            content_len,
            ..Event::default()
        };
        RequestRecord {
            seq,
            phase: Phase::Profiling,
            worker: 3,
            session: seq,
            turn: 2,
            dataset_row: 99,
            url_index: 1,
            model_index: 2,
            attempt: 1,
            connection_reused: true,
            streamed: true,
            times: Times {
                scheduled: 5_000_000_000,
                slot: 5_000_000_100,
                built: 5_000_000_150,
                connect_start: Some(4_999_000_000),
                connect_end: Some(4_999_100_000),
                tls_end: None,
                send_start: Some(5_000_000_200),
                send_end: Some(5_000_000_300),
                headers: Some(5_100_000_000),
                first_byte: Some(5_100_000_000),
                end: 5_200_000_000,
                body_end: Some(5_200_000_001),
            },
            bytes_out: 4_096,
            bytes_in: 1 << 40,
            status: 200,
            requested_output_tokens: Some(0),
            local_input_tokens: Some(550),
            local_output_tokens: None,
            local_reasoning_tokens: Some(u64::MAX),
            usage: Some(Usage { prompt: Some(7), cache_read: Some(0), ..Usage::default() }),
            finish_reason: Some("stop".to_owned()),
            outcome: Outcome::Failed(Failure {
                kind: FailureKind::ServerError,
                code: Some("500".to_owned()),
                label: None,
                message: "größer".to_owned(),
            }),
            events: vec![event(5_100_000_000, EventFlags::ROLE, 0), event(5_150_000_000, EventFlags::CONTENT, 7)],
            text: "größer".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let record = full_record(12);
        let mut bytes = Vec::new();
        encode(&record, &mut bytes);
        assert_eq!(decode(&bytes), Some(record));
    }

    #[test]
    fn no_prefix_of_a_record_is_taken_for_one() {
        let mut bytes = Vec::new();
        encode(&full_record(12), &mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end]), None, "{end}");
        }
    }

    #[test]
    fn differences_of_any_two_numbers_come_back() {
        for (value, base) in [(0, 0), (0, u64::MAX), (u64::MAX, 0), (5, 7), (7, 5), (1 << 63, 3)] {
            assert_eq!(unzigzag(zigzag(value, base), base), value);
        }
    }
}
