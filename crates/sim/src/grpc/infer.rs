//! Requests for tokens: tensors in, text out.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use h2::server::SendResponse;
use serde_json::{Map, Value};
use tokamark_clock::now_ns;
use tokamark_kserve::messages::{
    InferParameter, InferTensor, ModelInferRequest, ModelInferResponse, ModelStreamInferResponse,
};
use tokamark_kserve::{Datatype, ENABLE_EMPTY_FINAL_RESPONSE, FINAL_RESPONSE, frame, inputs_of, read};
use tokio::sync::Notify;

use super::answer::Answers;
use super::{Call, Messages, Status, code, refuse};
use crate::answer::Delivery;
use crate::api::Target;
use crate::outlet::{Outlet, Sink};
use crate::routes::{Action, Generation, generate};
use crate::truth::{Carried, End, TruthRecord, Written};

/// A stream of requests, each answered as it comes, whatever the others do.
pub(super) async fn stream(call: Call, mut messages: Messages, respond: SendResponse<Bytes>) {
    let answers = Answers::open(respond);
    let worst = Rc::new(Cell::new(End::Complete));
    let mut tasks = Vec::new();
    while let Some(message) = messages.next().await {
        let (call, answers, worst) = (call.clone(), answers.clone(), Rc::clone(&worst));
        tasks.push(tokio::task::spawn_local(async move {
            let Some(request) = read::<ModelInferRequest>(&message) else {
                answers.respond(&error("the message is no request"));
                return;
            };
            let end = infer(&call, &request, Some(&answers), |response| answers.respond(&response)).await;
            if !matches!(end, End::Complete | End::StreamError | End::Rejected) {
                worst.set(end);
            }
        }));
    }
    for task in tasks {
        // A task that panicked has said so.
        let _ = task.await;
    }
    match worst.get() {
        End::Reset => answers.reset(),
        End::Truncated => answers.finish(None, &Status::new(code::UNAVAILABLE, "cut short on purpose")),
        _ => answers.finish(None, &Status::ok()),
    }
}

/// One request, one answer.
pub(super) async fn one(call: Call, message: &[u8], respond: SendResponse<Bytes>) {
    let Some(mut request) = read::<ModelInferRequest>(message) else {
        return refuse(respond, &Status::new(code::INVALID_ARGUMENT, "the message is no request"));
    };
    request.parameters.remove(ENABLE_EMPTY_FINAL_RESPONSE);
    let answer = RefCell::new(None);
    let end = infer(&call, &request, None, |response| {
        answer.borrow_mut().get_or_insert(response);
    })
    .await;
    match (answer.into_inner(), end) {
        (Some(ModelStreamInferResponse { infer_response: Some(response), .. }), _) => {
            Answers::open(respond).finish(Some(frame(&response)), &Status::ok());
        }
        (Some(response), _) => refuse(respond, &Status::new(code::INVALID_ARGUMENT, response.error_message)),
        (None, _) => refuse(respond, &Status::new(code::INTERNAL, "there is no answer")),
    }
}

/// Has the engine work on a request. `stream` is the call that the client may break off.
async fn infer(
    call: &Call,
    request: &ModelInferRequest,
    stream: Option<&Answers>,
    respond: impl Fn(ModelStreamInferResponse),
) -> End {
    let fields = fields(request);
    let is_stream = stream.is_some() && fields.get("stream") == Some(&Value::Bool(true));
    let target = Target::triton(request.model_name.clone(), is_stream);
    let body = Value::Object(fields).to_string();
    match generate(&call.worker.shared, &target, body.as_bytes()) {
        // A request for tokens is never answered at once.
        Action::Reply(_) => End::Rejected,
        Action::Reject { number, reply } => {
            let before_ns = now_ns();
            respond(error(&message_in(&reply.body)));
            let mut record = record(call, number);
            record.status = reply.status;
            record.end_ns = now_ns();
            record.end = End::Rejected;
            let mut carried = Carried::HEAD;
            carried.add(Carried::BODY);
            let took_ns = u32::try_from(record.end_ns - before_ns).unwrap_or(u32::MAX);
            let written = Written { before_ns, took_ns, events: 0, tokens: 0, carried };
            call.worker.dispatch.borrow().log(record, vec![written]);
            End::Rejected
        }
        Action::Generate(generation) => work(call, request, *generation, stream, &respond).await,
    }
}

async fn work(
    call: &Call,
    request: &ModelInferRequest,
    generation: Generation,
    stream: Option<&Answers>,
    respond: &impl Fn(ModelStreamInferResponse),
) -> End {
    let is_stream = generation.job.is_stream;
    let record = record(call, generation.number);
    let (pipe, changed) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Notify::new()));
    let outlet = Outlet { sink: Sink::Pipe(Rc::clone(&pipe)), changed: Rc::clone(&changed) };
    // Bodies without chunks are the easiest to take apart.
    let delivery = Delivery { is_http10: true, keep_alive: false };
    let at = call.worker.dispatch.borrow_mut().submit(generation, delivery, record, outlet);
    call.worker.catch_up();
    let mut bytes = Vec::new();
    let mut head_is_over = false;
    loop {
        let is_done = call.worker.dispatch.borrow().progress(at).is_done;
        bytes.append(&mut pipe.borrow_mut());
        head_is_over = head_is_over || drop_head(&mut bytes);
        if is_stream && head_is_over {
            while let Some(end) = find(&bytes, b"\n\n") {
                let event: Vec<u8> = bytes.drain(..end + 2).collect();
                respond(response(request, event.strip_prefix(b"data: ").unwrap_or(&event), false));
            }
        }
        if is_done {
            break;
        }
        match stream {
            Some(answers) => tokio::select! {
                biased;
                () = changed.notified() => {}
                () = answers.gone() => break,
            },
            None => changed.notified().await,
        }
    }
    let end = call.worker.dispatch.borrow_mut().finish(at, End::ClientGone);
    let asks_for_last = request.parameters.get(ENABLE_EMPTY_FINAL_RESPONSE).is_some_and(InferParameter::is_true);
    match end {
        End::Complete | End::StreamError if !is_stream => respond(response(request, &bytes, asks_for_last)),
        End::Complete | End::StreamError if asks_for_last => respond(of(request, Vec::new(), Vec::new(), true)),
        _ => {}
    }
    end
}

fn record(call: &Call, number: u64) -> TruthRecord {
    let arrival = call.arrival.get();
    TruthRecord {
        id: String::new(),
        request: number,
        connection: call.caller.number,
        thread: call.worker.thread,
        x_request_id: call.request_id.clone(),
        path: call.path.clone(),
        status: 0,
        is_stream: false,
        prompt_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        accepted_ns: call.caller.accepted_ns,
        arrival_ns: arrival.ns,
        arrival_wall_ns: arrival.wall_ns,
        arrival_by_kernel: arrival.by_kernel,
        read_ns: arrival.read_ns,
        writes: Vec::new(),
        end_ns: 0,
        end: End::Complete,
    }
}

/// The request as one of the generate extension: the parameters of vLLM's layout come out of their text, and TensorRT-LLM's
/// names become the others'.
fn fields(request: &ModelInferRequest) -> Map<String, Value> {
    let mut fields = inputs_of(request);
    if let Some(Value::String(text)) = fields.remove("sampling_parameters")
        && let Ok(Value::Object(parameters)) = serde_json::from_str(&text)
    {
        fields.extend(parameters);
    }
    if let Some(least) = fields.remove("min_length") {
        fields.insert("min_tokens".to_owned(), least);
    }
    for name in ["max_tokens", "min_tokens", "ignore_eos"] {
        // The backend reads numbers and truth values that come as texts.
        let value =
            fields.get(name).and_then(Value::as_str).and_then(|text| serde_json::from_str(&text.to_lowercase()).ok());
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    }
    // These have other meanings in other APIs, and none here.
    fields.retain(|name, _| {
        matches!(name.as_str(), "text_input" | "stream" | "max_tokens" | "min_tokens" | "ignore_eos")
    });
    fields
}

/// The response for an event or body of the generate extension. What the engine broke on purpose stays broken.
fn response(request: &ModelInferRequest, json: &[u8], is_last: bool) -> ModelStreamInferResponse {
    let Ok(value) = serde_json::from_slice::<Value>(json) else {
        // A tensor whose elements are cut off.
        let text =
            InferTensor { name: "text_output".to_owned(), datatype: "BYTES".to_owned(), ..InferTensor::default() };
        return of(request, vec![text], vec![Bytes::from_static(b"\xff\xff")], is_last);
    };
    if value.get("error").is_some() {
        return error(&message_in(json));
    }
    let texts = match value.get("text_output") {
        Some(Value::Array(texts)) => texts.clone(),
        Some(text) => vec![text.clone()],
        None => Vec::new(),
    };
    let raw = Datatype::Bytes.raw(&texts).unwrap_or_default();
    let shape = vec![i64::try_from(texts.len()).unwrap_or(i64::MAX)];
    let text = InferTensor { name: "text_output".to_owned(), datatype: "BYTES".to_owned(), shape, contents: None };
    of(request, vec![text], vec![raw], is_last)
}

fn of(
    request: &ModelInferRequest,
    outputs: Vec<InferTensor>,
    raw_output_contents: Vec<Bytes>,
    is_last: bool,
) -> ModelStreamInferResponse {
    let mut response = ModelInferResponse {
        model_name: request.model_name.clone(),
        model_version: "1".to_owned(),
        id: request.id.clone(),
        outputs,
        raw_output_contents,
        ..ModelInferResponse::default()
    };
    response.parameters.insert(FINAL_RESPONSE.to_owned(), InferParameter::bool(is_last));
    ModelStreamInferResponse { error_message: String::new(), infer_response: Some(response) }
}

fn error(message: &str) -> ModelStreamInferResponse {
    ModelStreamInferResponse { error_message: message.to_owned(), infer_response: None }
}

/// The message of an error's JSON.
fn message_in(json: &[u8]) -> String {
    let value: Value = serde_json::from_slice(json).unwrap_or_default();
    let message = value.pointer("/error/message").or_else(|| value.get("error")).and_then(Value::as_str);
    message.unwrap_or("an error on purpose").to_owned()
}

/// Takes the response's head away, once it is whole.
fn drop_head(bytes: &mut Vec<u8>) -> bool {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return false };
    bytes.drain(..end + 4);
    true
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
