//! Sends the requests that change a registry and are not `hf-hub`'s, once, without redirects.

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::Wire;
use crate::error::{Act, ClientError};
use crate::limits::{ANSWER_BYTES_MAX, REFUSAL_BYTES_MAX};
use crate::refusal;

impl Wire {
    /// Sends a request of the user to the registry, and reads the answer as JSON.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        act: &Act,
        method: Method,
        url: Url,
        body: Option<&Value>,
    ) -> Result<T, ClientError> {
        let mut request = self.http.request(method, url.clone());
        request = request.headers(self.headers_for(&url));
        if let Some(body) = body {
            request = request.json(body);
        }
        let sent = async {
            let sent = request.send().await;
            let response = sent.map_err(|it| self.not_sent(act, it))?;
            self.answer_in_json(act, self.accept(act, response).await?)
                .await
        };
        self.in_time(act, sent).await
    }

    /// Asks a server that is not the registry, with a token of its own and never the user's.
    pub(crate) async fn ask_elsewhere<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
        bearer: HeaderValue,
    ) -> Result<T, ClientError> {
        let server = url.join("/").unwrap_or_else(|_| url.clone());
        let request = self.http.get(url).header(AUTHORIZATION, bearer);
        let sent = async {
            let sent = request.send().await;
            let response = sent.map_err(|source| refusal::not_sent(act, &server, source))?;
            if response.status() == StatusCode::OK {
                return self.answer_in_json(act, response).await;
            }
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = self.body(act, response, REFUSAL_BYTES_MAX, |_| ()).await;
            let answer = refusal::answer(status, &headers, &body.unwrap_or_default());
            Err(ClientError::Refused {
                act: act.clone(),
                answer: Box::new(answer),
            })
        };
        self.in_time(act, sent).await
    }

    async fn answer_in_json<T: DeserializeOwned>(
        &self,
        act: &Act,
        response: Response,
    ) -> Result<T, ClientError> {
        let content = self.body(act, response, ANSWER_BYTES_MAX, |_| ()).await?;
        // The parser's message is left out: it may repeat a token.
        serde_json::from_slice(&content)
            .map_err(|_| refusal::nonsense(act, "it is not the expected JSON"))
    }

    async fn in_time<T>(
        &self,
        act: &Act,
        sent: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        timeout_at(Instant::now() + self.timeouts.answer, sent)
            .await
            .unwrap_or_else(|_| Err(self.timed_out(act, self.timeouts.answer)))
    }
}
