//! A scripted server over HTTP/2.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use http::{HeaderMap, HeaderValue, Response};
use tokamark_kserve::messages::{InferParameter, InferTensor, ModelInferResponse, ModelStreamInferResponse};
use tokamark_kserve::{FINAL_RESPONSE, frame};

/// A step of an answer.
#[derive(Clone)]
pub(crate) enum Act {
    /// The head, with the content type of gRPC or another.
    Head(&'static str),
    /// Bytes, in a frame of their own.
    Data(Bytes),
    /// Nothing for so many milliseconds.
    Pause(u64),
    /// The end, with a status and what it says.
    Status(u32, &'static str),
    /// The head and the end in one.
    StatusAlone(u32, &'static str),
    /// The end, without a status.
    End,
    /// The stream is reset.
    Reset,
    /// The connection takes no further request.
    GoAway,
}

/// A server that answers every request by the same script.
pub(crate) struct GrpcServer {
    address: SocketAddr,
    connections: Arc<AtomicU32>,
}

impl GrpcServer {
    pub(crate) fn answering(script: Vec<Act>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&connections);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                while let Ok((socket, _)) = listener.accept().await {
                    count.fetch_add(1, Ordering::SeqCst);
                    socket.set_nodelay(true).unwrap();
                    tokio::spawn(serve(socket, script.clone()));
                }
            });
        });
        Self { address, connections }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/inference.GRPCInferenceService/ModelStreamInfer", self.address)
    }

    pub(crate) fn connections(&self) -> u32 {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(socket: tokio::net::TcpStream, script: Vec<Act>) {
    let Ok(mut connection) = h2::server::handshake(socket).await else { return };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        assert_eq!(request.headers()["content-type"], "application/grpc");
        assert_eq!(request.headers()["te"], "trailers");
        if script.iter().any(|act| matches!(act, Act::GoAway)) {
            connection.graceful_shutdown();
        }
        let script = script.clone();
        tokio::spawn(async move {
            let mut body = request.into_body();
            while let Some(Ok(data)) = body.data().await {
                let _ = body.flow_control().release_capacity(data.len());
            }
            let mut stream = None;
            for act in script {
                match act {
                    Act::Head(kind) => {
                        let response = Response::builder().header("content-type", kind).body(()).unwrap();
                        stream = respond.send_response(response, false).ok();
                    }
                    Act::StatusAlone(code, message) => {
                        let mut response = Response::new(());
                        *response.headers_mut() = status(code, message);
                        response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
                        let _ = respond.send_response(response, true);
                    }
                    Act::Pause(milliseconds) => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
                    Act::GoAway => {}
                    Act::Data(data) => {
                        let _ = stream.as_mut().map(|stream| stream.send_data(data, false));
                    }
                    Act::Status(code, message) => {
                        let _ = stream.as_mut().map(|stream| stream.send_trailers(status(code, message)));
                    }
                    Act::End => {
                        let _ = stream.as_mut().map(|stream| stream.send_data(Bytes::new(), true));
                    }
                    Act::Reset => stream.as_mut().unwrap().send_reset(Reason::REFUSED_STREAM),
                }
            }
        });
    }
}

fn status(code: u32, message: &'static str) -> HeaderMap {
    let mut fields = HeaderMap::new();
    fields.insert("grpc-status", HeaderValue::from(code));
    fields.insert("grpc-message", HeaderValue::from_static(message));
    fields
}

/// A response with a text, or none, framed.
pub(crate) fn response(text: Option<&str>, is_last: bool) -> Bytes {
    let mut response = ModelInferResponse::default();
    if let Some(text) = text {
        let datatype = "BYTES".to_owned();
        response.outputs.push(InferTensor { name: "text_output".to_owned(), datatype, shape: vec![1], contents: None });
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        response.raw_output_contents.push([&length[..], text.as_bytes()].concat().into());
    }
    response.parameters.insert(FINAL_RESPONSE.to_owned(), InferParameter::bool(is_last));
    frame(&ModelStreamInferResponse { error_message: String::new(), infer_response: Some(response) })
}
