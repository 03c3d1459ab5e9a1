//! Records an exchange over HTTP for a tool's tests, or answers a request from a recording.
//! The gate has let the request through before.

use std::convert::Infallible;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use tool_hub_manifest::Origin;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::{Request, Response, Rules};
use crate::approval::denial::Denial;
use crate::recording::{HttpDecision, HttpRecorder, RecordedRequest, RecordedResponse};

/// Header fields that are not recorded: what is for one connection, and what is secret.
const LEFT_OUT: [&str; 10] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "set-cookie",
    "set-cookie2",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Rules {
    /// Does with an admitted request what `recorder` decides.
    pub(super) async fn exchange(
        &self,
        recorder: &dyn HttpRecorder,
        origin: &Origin,
        request: Request,
        options: RequestOptions,
    ) -> Result<Response, Error> {
        let max = self.record.limits.http_response_bytes;
        let too_long = || Error::HttpRequestBodySize(Some(max));
        let (head, body) = request.into_parts();
        let body = whole(body, max, too_long).await?;
        let asked = self.recorded_request(&head, &body);
        match recorder.decide(&asked) {
            HttpDecision::Answer(response) => {
                self.record.counts.http_requests.add(1);
                self.record.counts.http_sent_bytes.add(body.len() as u64);
                self.replayed(response)
            }
            HttpDecision::Refuse => {
                let what = format!("{} {}", asked.method, asked.url);
                let denial = Denial::unrecorded(&self.tool, &what, origin);
                self.record.denials.add(denial);
                Err(Error::HttpRequestDenied)
            }
            HttpDecision::Send => {
                let request = Request::from_parts(head, of_bytes(body));
                let (response, driver) = self.send(origin, request, options).await?;
                let (head, body) = response.into_parts();
                let too_long = || Error::HttpResponseBodySize(Some(max));
                let body = whole(body, max, too_long).await?;
                recorder.record(&asked, &self.recorded_response(&head, &body));
                let response = http::Response::from_parts(head, of_bytes(body));
                Ok((response, driver))
            }
        }
    }

    fn recorded_request(&self, head: &http::request::Parts, body: &Bytes) -> RecordedRequest {
        let secrets = &self.record.secrets;
        RecordedRequest {
            method: secrets.mask(head.method.as_str().to_owned()),
            url: secrets.mask(head.uri.to_string()),
            body: secrets.mask_bytes(body.to_vec()).into(),
        }
    }

    fn recorded_response(&self, head: &http::response::Parts, body: &Bytes) -> RecordedResponse {
        let secrets = &self.record.secrets;
        let fields = head.headers.iter();
        let kept = fields.filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
        let text = |bytes: &[u8]| secrets.mask(String::from_utf8_lossy(bytes).into_owned());
        RecordedResponse {
            status: head.status.as_u16(),
            headers: kept
                .map(|(name, value)| (text(name.as_str().as_bytes()), text(value.as_bytes())))
                .collect(),
            body: secrets.mask_bytes(body.to_vec()).into(),
        }
    }

    /// The recorded response as the guest gets it, held against the same limits.
    fn replayed(&self, recorded: RecordedResponse) -> Result<Response, Error> {
        let max = self.record.limits.http_response_bytes;
        let length = recorded.body.len() as u64;
        if length > max {
            return Err(Error::HttpResponseBodySize(Some(max)));
        }
        self.record.counts.http_received_bytes.add(length);
        let mut response = http::Response::builder().status(recorded.status);
        for (name, value) in recorded.headers {
            response = response.header(name, value);
        }
        let response = response.body(of_bytes(recorded.body));
        let response = response.map_err(|_| Error::HttpProtocolError)?;
        Ok((response, Box::new(std::future::ready(Ok(())))))
    }
}

/// A body that is at hand.
fn of_bytes(bytes: Bytes) -> WasiBody {
    let body = Full::new(bytes).map_err(|never: Infallible| match never {});
    body.boxed_unsync()
}

/// The bytes of a body of at most `max` bytes.
async fn whole(mut body: WasiBody, max: u64, too_long: impl Fn() -> Error) -> Result<Bytes, Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Some(data) = frame?.data_ref() {
            if (bytes.len() + data.len()) as u64 > max {
                return Err(too_long());
            }
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes.freeze())
}
