//! Answers over gRPC through the whole client: what counts, in which order, with which stamps.

use bytes::Bytes;
use tokamark_plan::{EndpointKind, Plan};
use tokamark_record::{FailureKind, Outcome, RequestRecord};
use tokamark_wire::EventFlags;

use crate::support::grpc::{Act, GrpcServer, response};
use crate::support::plans;
use crate::support::running::*;

const GRPC: Act = Act::Head("application/grpc");
const OK: Act = Act::Status(0, "");

fn plan(server: &GrpcServer, count: u64) -> Plan {
    let mut plan = plans::plan(&server.url(), count);
    plan.target.endpoint = EndpointKind::KserveVllm;
    plan
}

fn answered(script: Vec<Act>) -> RequestRecord {
    run_one(&plan(&GrpcServer::answering(script), 1))
}

fn data(text: &str) -> Act {
    Act::Data(response(Some(text), false))
}

fn flags(record: &RequestRecord) -> Vec<EventFlags> {
    record.events.iter().map(|event| event.flags).collect()
}

#[test]
fn each_message_is_an_event_and_the_last_one_says_so() {
    let last = Act::Data(response(None, true));
    let record =
        answered(vec![GRPC, Act::Pause(150), data("a"), Act::Pause(150), data(" b"), Act::Pause(150), last, OK]);
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!((record.text.as_str(), record.status, record.streamed), ("a b", 200, true));
    assert_eq!(flags(&record), [EventFlags::CONTENT, EventFlags::CONTENT, EventFlags::DONE]);
    assert_eq!(record.events[0].bytes as usize, response(Some("a"), false).len());
    // Each came by a read of its own, and the answer ends with the mark.
    assert!(record.events.windows(2).all(|pair| pair[0].read_number < pair[1].read_number));
    assert!(record.events.windows(2).all(|pair| pair[1].arrival > pair[0].arrival), "{:?}", record.events);
    assert_eq!(record.times.end, record.events[2].arrival);
    let sent = (record.times.send_start.unwrap(), record.times.send_end.unwrap());
    assert!(sent.0 <= sent.1 && sent.1 <= record.events[0].arrival, "{sent:?}");
}

#[test]
fn a_message_has_the_stamp_of_the_read_that_completed_it() {
    let whole = response(Some("abc"), false);
    let (first, rest) = (whole.slice(..9), whole.slice(9..));
    let record = answered(vec![GRPC, Act::Data(first), Act::Pause(150), Act::Data(rest), OK]);
    assert_eq!((record.outcome, record.text.as_str()), (Outcome::Ok, "abc"));
    let first_byte = record.times.first_byte.unwrap();
    assert!(record.events[0].arrival > first_byte, "the message was not whole before");
}

#[test]
fn messages_of_one_read_have_its_stamp() {
    let both: Bytes = [response(Some("a"), false), response(Some("b"), true)].concat().into();
    let record = answered(vec![GRPC, Act::Data(both), OK]);
    assert_eq!(flags(&record), [EventFlags::CONTENT, EventFlags::CONTENT | EventFlags::DONE]);
    assert_eq!(record.events[0].arrival, record.events[1].arrival);
}

#[test]
fn without_a_mark_the_status_is_the_end() {
    let record = answered(vec![GRPC, data("a"), OK]);
    assert_eq!((record.outcome, record.text.as_str()), (Outcome::Ok, "a"));
}

#[test]
fn a_status_other_than_zero_is_a_failure_wherever_it_stands() {
    for script in [
        vec![Act::StatusAlone(8, "too many%21")],
        vec![GRPC, Act::Status(8, "too many%21")],
        vec![GRPC, data("a"), Act::Status(8, "too many%21")],
    ] {
        let record = answered(script);
        assert_failed(&record, FailureKind::ServerError);
        let failure = failure(&record);
        assert_eq!(failure.message, "too many!");
        assert_eq!((failure.code.as_deref(), failure.label.as_deref()), (Some("8"), Some("RESOURCE_EXHAUSTED")));
    }
}

#[test]
fn what_breaks_off_or_is_no_grpc_is_a_failure() {
    let torn = response(Some("abc"), false).slice(..9);
    for (script, kind) in [
        (vec![GRPC, data("a"), Act::Reset], FailureKind::Reset),
        (vec![GRPC, data("a"), Act::End], FailureKind::Incomplete),
        (vec![GRPC, Act::Data(torn), OK], FailureKind::Undecodable),
        (vec![GRPC, Act::Data(Bytes::from_static(&[1, 0, 0, 0, 1, 9])), OK], FailureKind::Undecodable),
        (vec![Act::Head("text/html"), Act::Data(Bytes::from_static(b"<p>")), OK], FailureKind::Undecodable),
        (vec![GRPC, Act::Data(response(None, true)), OK], FailureKind::Empty),
    ] {
        assert_failed(&answered(script), kind);
    }
}

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = GrpcServer::answering(vec![GRPC, data("a"), Act::Data(response(None, true)), OK]);
    let records = run(&plan(&server, 20));
    assert_all_ok(&records, 20);
    assert_eq!(server.connections(), 1);
    assert!(records[1..].iter().all(|record| record.connection_reused));
}

#[test]
fn a_server_that_takes_one_request_a_connection_loses_none() {
    let server = GrpcServer::answering(vec![Act::GoAway, GRPC, data("a"), Act::Data(response(None, true)), OK]);
    let records = run(&plan(&server, 10));
    assert_all_ok(&records, 10);
    assert_eq!(server.connections(), 10);
}

#[test]
fn requests_and_answers_larger_than_any_window_pass() {
    let long = "x".repeat(20 << 20);
    let server = GrpcServer::answering(vec![GRPC, data(&long), OK]);
    struct Large;
    impl tokamark_client::Supply for Large {
        fn open(&self, _phase: tokamark_record::Phase, _seq: u64) -> tokamark_client::Opening {
            let body = Bytes::from(vec![b' '; 3 << 20]);
            tokamark_client::Prepared { body, ..tokamark_client::Prepared::default() }.into()
        }
    }
    let (_, records) = run_with(&plan(&server, 2), std::sync::Arc::new(Large));
    assert_all_ok(&records, 2);
    assert!(records.iter().all(|record| record.text.len() == long.len() && record.bytes_out > 3 << 20));
}
