//! Event streams through the whole client: what counts, in which order, with which stamps.

use tokamark_record::{FailureKind, Outcome, RequestRecord};
use tokamark_wire::EventFlags;

use crate::support::answers::*;
use crate::support::plans::plan;
use crate::support::running::*;
use crate::support::server::{Server, pause};

/// The record of a request whose answer is a stream with this body.
fn stream(body: &str) -> RequestRecord {
    let server = Server::answering(format!("{STREAM}{}{LAST_CHUNK}", chunk(body)));
    run_one(&plan(&server.url(), 1))
}

fn flags(record: &RequestRecord) -> Vec<EventFlags> {
    record.events.iter().map(|event| event.flags).collect()
}

fn delta(fields: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{fields}}}}}]}}\n\n")
}

#[test]
fn line_ends_of_every_kind_make_the_same_events() {
    let plain = events(&["a", "b"]);
    for end in ["\n", "\r\n", "\r"] {
        let record = stream(&plain.replace('\n', end));
        assert_eq!(record.outcome, Outcome::Ok);
        assert_eq!(record.text, "ab");
        assert_eq!(
            flags(&record),
            [EventFlags::CONTENT, EventFlags::CONTENT, EventFlags::FINISH, EventFlags::DONE],
            "{end:?}"
        );
    }
}

#[test]
fn a_byte_order_mark_comments_and_other_fields_do_not_matter() {
    let body = format!("\u{feff}: ping\n\nevent: message\nid: 7\nretry: 10\n{}{}", token("a"), events(&["b"]));
    let record = stream(&body);
    assert_eq!(record.text, "ab");
    assert_eq!(flags(&record)[..2], [EventFlags::COMMENT, EventFlags::CONTENT]);
}

#[test]
fn an_event_may_have_several_data_lines() {
    let body =
        format!("data: {{\"choices\":[{{\"index\":0,\ndata: \"delta\":{{\"content\":\"a\"}}}}]}}\n\n{}", events(&[]));
    assert_eq!(stream(&body).text, "a");
}

#[test]
fn the_end_needs_no_blank_line() {
    let record = stream(&format!("{}{}{}", token("a"), finish("stop"), usage(5, 1).trim_end()));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.usage.unwrap().completion, Some(1));
}

#[test]
fn the_first_token_is_the_first_with_text() {
    let body = [
        delta("\"role\":\"assistant\",\"content\":\"\""),
        delta("\"content\":\"\""),
        delta("\"content\":null"),
        delta("\"reasoning_content\":\"hm\""),
        delta("\"reasoning\":\"m\""),
        delta("\"content\":\"yes\""),
        delta("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"),
        finish("stop"),
        usage(5, 4),
        DONE.to_owned(),
    ];
    let record = stream(&body.concat());
    assert_eq!(record.outcome, Outcome::Ok);
    let generated: Vec<bool> = record.events.iter().map(|event| event.flags.is_generated()).collect();
    assert_eq!(generated, [false, false, false, true, true, true, true, false, false, false]);
    assert_eq!(record.texts(), ("hmm".to_owned(), "yes".to_owned(), "f{}".to_owned()));
    assert_eq!(record.usage.unwrap().completion, Some(4));
}

#[test]
fn an_answer_without_a_token_failed() {
    let body = [delta("\"role\":\"assistant\""), finish("stop"), usage(5, 0), DONE.to_owned()].concat();
    assert_failed(&stream(&body), FailureKind::Empty);
}

#[test]
fn a_stream_that_just_ends_is_incomplete_and_its_events_are_kept() {
    let record = stream(&[token("a"), token("b")].concat());
    assert_failed(&record, FailureKind::Incomplete);
    assert_eq!((record.text.as_str(), record.events.len()), ("ab", 2));
}

#[test]
fn an_error_in_the_stream_is_a_failure() {
    let body =
        [token("a"), "data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n".to_owned(), DONE.to_owned()];
    let record = stream(&body.concat());
    assert_failed(&record, FailureKind::ServerError);
    assert_eq!(failure(&record).message, "out of memory");
    assert_eq!(failure(&record).code.as_deref(), Some("500"));
    assert_eq!(record.text, "a");
}

#[test]
fn a_document_where_a_stream_was_asked_for() {
    let server = Server::answering(sized("200 OK", "application/json", &document("hi")));
    let record = run_one(&plan(&server.url(), 1));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!((record.streamed, record.text.as_str(), record.events.len()), (false, "hi", 1));
    assert_eq!(record.usage.unwrap().prompt, Some(5));

    let body = "{\"error\":{\"message\":\"model not found\",\"type\":\"NotFoundError\",\"code\":404}}";
    let server = Server::answering(sized("200 OK", "application/json", body));
    let record = run_one(&plan(&server.url(), 1));
    assert_failed(&record, FailureKind::ServerError);
    assert_eq!(failure(&record).message, "model not found");

    let server = Server::answering(sized("200 OK", "application/json", "not json"));
    assert_failed(&run_one(&plan(&server.url(), 1)), FailureKind::Undecodable);
}

#[test]
fn events_after_the_end_mark_are_ignored() {
    let after = format!("{}{}{}{}", token("a"), DONE, token("late"), usage(9, 9));
    let record = stream(&after);
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!((record.text.as_str(), record.events.len(), record.usage), ("a", 2, None));
    let error = format!("{}{}data: {{\"error\":{{\"message\":\"late\"}}}}\n\n", token("a"), DONE);
    assert_eq!(stream(&error).outcome, Outcome::Ok);
}

#[test]
fn events_of_one_read_say_so() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(STREAM);
            for events in [token("a") + &token("b") + &token("c"), token("d"), finish("stop") + DONE] {
                pause(40);
                peer.write(chunk(&events));
            }
            peer.write(LAST_CHUNK);
        }
    });
    let record = run_one(&plan(&server.url(), 1));
    assert_eq!(record.text, "abcd");
    let reads: Vec<u32> = record.events.iter().map(|event| event.read_number).collect();
    assert_eq!(reads.len(), 6);
    assert!(reads[0] == reads[1] && reads[1] == reads[2], "{reads:?}");
    assert!(reads[2] < reads[3] && reads[3] < reads[4], "{reads:?}");
    assert!(reads[4] == reads[5], "{reads:?}");
    assert_eq!(record.events[0].arrival, record.events[2].arrival);
}

#[test]
fn an_event_in_many_segments_arrives_with_its_last_byte() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.dribble(&format!("{STREAM}{}", chunk(&token("a"))));
            pause(20);
            peer.dribble(&format!("{}{LAST_CHUNK}", chunk(&events(&["b"]))));
        }
    });
    let record = run_one(&plan(&server.url(), 1));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.text, "ab");
    assert!(record.events[0].arrival < record.events[1].arrival);
    assert!(record.events[0].arrival >= record.times.headers.unwrap());
}

#[test]
fn an_event_of_twenty_megabytes() {
    let word = "x".repeat(20 << 20);
    let record = stream(&events(&[&word, "y"]));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.text.len(), word.len() + 1);
    assert_eq!(record.events[0].content_len as usize, word.len());
    assert!(record.events[0].bytes as usize > word.len());
    assert!(record.events[0].read_number > 1);
}

#[test]
fn ten_thousand_events_in_one_write() {
    let record = stream(&events(&vec!["x"; 10_000]));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.text, "x".repeat(10_000));
    assert_eq!(record.events.len(), 10_002);
    assert!(record.events.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
    assert!(record.events.windows(2).all(|pair| pair[0].read_number <= pair[1].read_number));
}
