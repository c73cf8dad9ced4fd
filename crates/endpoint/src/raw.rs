//! Bodies that the dataset gives, to any URL.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, any};

use crate::chat::Chat;
use crate::{BodyOptions, Dialect, RESPONSE_FIELD, Request, body};

/// Bodies as they are, answers of any known form. A turn that has no body of its own is put into a chat request.
#[derive(Debug)]
pub(crate) struct Raw;

impl Dialect for Raw {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Raw
    }

    fn marks_end(&self) -> bool {
        false
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        body::given(request.turn).unwrap_or_else(|| {
            let mut options = options.clone();
            options.extra.remove(RESPONSE_FIELD);
            Chat.body(request, &options)
        })
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        any::read_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        any::read_body(body, answer)
    }
}
