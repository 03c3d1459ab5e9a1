//! Sends the HTTP requests that read from a registry, with bounds on time, size and retries.
//! Requests that change a repo are sent by `hf-hub`.

mod changes;
mod urls;

use std::time::Duration;

use futures::StreamExt as _;
use hf_hub::repository::RepoTypeAny;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, HeaderMap, HeaderValue, LOCATION,
};
use reqwest::{Method, Response, StatusCode, redirect};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::config::{ClientConfig, Timeouts};
use crate::error::{Act, ClientError};
use crate::limits::{
    ANSWER_BYTES_MAX, QUESTION_ATTEMPTS_MAX, REDIRECTS_MAX, REFUSAL_BYTES_MAX,
    TRANSFER_BYTES_PER_SECOND_MIN,
};
use crate::{link, refusal};

const RETRY_DELAY: Duration = Duration::from_millis(200);

/// The connection to one endpoint.
pub(crate) struct Wire {
    http: reqwest::Client,
    endpoint: Url,
    /// The registry of which the endpoint is a mirror.
    mirrored: Option<Url>,
    authorization: Option<HeaderValue>,
    timeouts: Timeouts,
    kind: RepoTypeAny,
}

/// The hosts to which redirects of a request may lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RedirectScope {
    /// The endpoint itself: another host has no business answering questions about it.
    Origin,
    /// Any host, as registries keep large files elsewhere; never with the token.
    AnyHost,
}

/// A request that can be sent again, to another URL too.
struct Question<'a> {
    method: Method,
    form: &'a [(&'a str, &'a str)],
    redirects: RedirectScope,
}

impl Question<'static> {
    fn get(redirects: RedirectScope) -> Self {
        Self {
            method: Method::GET,
            form: &[],
            redirects,
        }
    }
}

impl Wire {
    /// The connection for repos of one kind. Their names do not tell the kind: a data set and a
    /// model may have the same one.
    pub(crate) fn new(kind: RepoTypeAny, config: &ClientConfig) -> Result<Self, ClientError> {
        let authorization = config.token.as_ref().and_then(|token| {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose())).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        Ok(Self {
            // Redirects are followed by hand: whether the token goes along is decided here,
            // for every hop, and not by a policy that compares host names only.
            http: base_client(config, redirect::Policy::none())?,
            endpoint: config.endpoint.clone(),
            mirrored: config.mirrored.clone(),
            authorization,
            timeouts: config.timeouts,
            kind,
        })
    }

    pub(crate) fn signed_in(&self) -> bool {
        self.authorization.is_some()
    }

    /// The error for a request that got no response, which names the registry behind a mirror.
    fn not_sent(&self, act: &Act, source: reqwest::Error) -> ClientError {
        let mut error = refusal::not_sent(act, &self.endpoint, source);
        if let ClientError::Unreachable { mirror_of, .. } = &mut error {
            *mirror_of = self.mirrored.clone().map(Box::new);
        }
        error
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Asks a question by GET and reads the answer as JSON.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
    ) -> Result<T, ClientError> {
        let question = Question::get(RedirectScope::Origin);
        self.json(act, url, &question).await
    }

    /// Asks for a file of at most `bytes_max` by GET, which the registry itself has to send.
    pub(crate) async fn bytes(
        &self,
        act: &Act,
        url: Url,
        bytes_max: u64,
    ) -> Result<Vec<u8>, ClientError> {
        let question = Question::get(RedirectScope::Origin);
        let (_, content) = self.content(act, url, &question, bytes_max).await?;
        Ok(content)
    }

    /// Asks for one page of a list by GET: what is on it, and where the next one is.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
    ) -> Result<(T, Option<Url>), ClientError> {
        let question = Question::get(RedirectScope::Origin);
        let from = url.clone();
        let (headers, page) = self.json_with_headers(act, url, &question).await?;
        let next = match link::next(&headers, &from) {
            Some(next) if next.origin() != self.endpoint.origin() => {
                return Err(refusal::nonsense(act, "its next page is on another host"));
            }
            next => next,
        };
        Ok((page, next))
    }

    /// Asks a question by POST of a form and reads the answer as JSON.
    pub(crate) async fn post_form<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
        form: &[(&str, &str)],
    ) -> Result<T, ClientError> {
        let question = Question {
            method: Method::POST,
            form,
            redirects: RedirectScope::Origin,
        };
        self.json(act, url, &question).await
    }

    /// Begins a download: status 200 and no encoding. Its headers must come within the time
    /// for an answer.
    pub(crate) async fn download(&self, act: &Act, url: Url) -> Result<Response, ClientError> {
        let question = Question::get(RedirectScope::AnyHost);
        let deadline = Instant::now() + self.timeouts.answer;
        timeout_at(deadline, self.ask(act, url, &question))
            .await
            .unwrap_or_else(|_| Err(self.timed_out(act, self.timeouts.answer)))
    }

    /// Reads at most `bytes_max` bytes of a body, and tells `watch` of every piece.
    pub(crate) async fn body(
        &self,
        act: &Act,
        response: Response,
        bytes_max: u64,
        mut watch: impl FnMut(u64),
    ) -> Result<Vec<u8>, ClientError> {
        let window = self.timeouts.stall;
        let least = (window.as_secs_f64() * TRANSFER_BYTES_PER_SECOND_MIN as f64) as u64;
        let whole = Instant::now() + self.timeouts.transfer;
        let mut content = Vec::new();
        let mut body = response.bytes_stream();
        let mut window_end = Instant::now() + window;
        let mut in_window = 0;
        loop {
            let chunk = match timeout_at(window_end.min(whole), body.next()).await {
                Ok(None) => return Ok(content),
                Ok(Some(chunk)) => chunk.map_err(|source| refusal::broken(act, source))?,
                Err(_) => Default::default(),
            };
            let now = Instant::now();
            if now >= whole {
                return Err(self.timed_out(act, self.timeouts.transfer));
            }
            in_window += chunk.len() as u64;
            if now >= window_end {
                if in_window < least {
                    return Err(ClientError::Stalled {
                        act: act.clone(),
                        bytes: in_window,
                        within: window,
                    });
                }
                (window_end, in_window) = (now + window, 0);
            }
            if (content.len() + chunk.len()) as u64 > bytes_max {
                return Err(ClientError::TooLarge {
                    act: act.clone(),
                    bytes_max,
                });
            }
            content.extend_from_slice(&chunk);
            if !chunk.is_empty() {
                watch(chunk.len() as u64);
            }
        }
    }

    pub(crate) fn timed_out(&self, act: &Act, after: Duration) -> ClientError {
        ClientError::TimedOut {
            act: act.clone(),
            after,
        }
    }

    async fn json<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
        question: &Question<'_>,
    ) -> Result<T, ClientError> {
        let (_, answer) = self.json_with_headers(act, url, question).await?;
        Ok(answer)
    }

    async fn json_with_headers<T: DeserializeOwned>(
        &self,
        act: &Act,
        url: Url,
        question: &Question<'_>,
    ) -> Result<(HeaderMap, T), ClientError> {
        let answered = self.content(act, url, question, ANSWER_BYTES_MAX);
        let (headers, content) = answered.await?;
        let answer = serde_json::from_slice(&content).map_err(|error| {
            // The parser's message may repeat what the registry sent.
            refusal::nonsense(act, &format!("it is not the expected JSON: {error}"))
        })?;
        Ok((headers, answer))
    }

    async fn content(
        &self,
        act: &Act,
        url: Url,
        question: &Question<'_>,
        bytes_max: u64,
    ) -> Result<(HeaderMap, Vec<u8>), ClientError> {
        let asked = async {
            let response = self.ask_patiently(act, url, question).await?;
            let headers = response.headers().clone();
            let content = self.body(act, response, bytes_max, |_| ()).await?;
            Ok((headers, content))
        };
        timeout_at(Instant::now() + self.timeouts.answer, asked)
            .await
            .unwrap_or_else(|_| Err(self.timed_out(act, self.timeouts.answer)))
    }

    /// Asks again a little later while the registry is not available.
    async fn ask_patiently(
        &self,
        act: &Act,
        url: Url,
        question: &Question<'_>,
    ) -> Result<Response, ClientError> {
        let mut attempt = 1;
        loop {
            let answered = self.ask(act, url.clone(), question).await;
            let passing = matches!(&answered, Err(ClientError::ServerFailed { answer, .. })
                if matches!(answer.status, 502..=504));
            if !passing || attempt == QUESTION_ATTEMPTS_MAX {
                return answered;
            }
            tokio::time::sleep(RETRY_DELAY * 2u32.pow(attempt as u32 - 1)).await;
            attempt += 1;
        }
    }

    /// Sends the question, follows redirects, and gives the response with status 200.
    async fn ask(
        &self,
        act: &Act,
        mut url: Url,
        question: &Question<'_>,
    ) -> Result<Response, ClientError> {
        for _ in 0..=REDIRECTS_MAX {
            let mut request = self
                .http
                .request(question.method.clone(), url.clone())
                .headers(self.headers_for(&url));
            if !question.form.is_empty() {
                request = request.form(question.form);
            }
            let response = request
                .send()
                .await
                .map_err(|source| self.not_sent(act, source))?;
            if response.status().is_redirection()
                && let Some(target) = response.headers().get(LOCATION)
            {
                url = self.redirected(act, &url, target, question, response.status())?;
                continue;
            }
            return self.accept(act, response).await;
        }
        Err(refusal::nonsense(act, "it redirects without end"))
    }

    /// The token goes to the endpoint's own origin and nowhere else.
    fn headers_for(&self, url: &Url) -> HeaderMap {
        let mut headers = HeaderMap::new();
        // A compressed answer could be a thousand times larger than what is counted here.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if url.origin() == self.endpoint.origin()
            && let Some(authorization) = &self.authorization
        {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        headers
    }

    fn redirected(
        &self,
        act: &Act,
        from: &Url,
        target: &HeaderValue,
        question: &Question<'_>,
        status: StatusCode,
    ) -> Result<Url, ClientError> {
        let target = target.to_str().ok().and_then(|text| from.join(text).ok());
        let target = target
            .ok_or_else(|| refusal::nonsense(act, "it redirects to something that is not a URL"))?;
        let refuse = |rule| Err(refusal::redirect(act, &target, rule));
        let plain_allowed = self.endpoint.scheme() == "http";
        if target.scheme() != "https" && !(plain_allowed && target.scheme() == "http") {
            return refuse("only https may be redirected to");
        }
        // Also with an `http` endpoint, no redirect leads from https back to http.
        if from.scheme() == "https" && target.scheme() == "http" {
            return refuse("https must not become http");
        }
        if question.redirects == RedirectScope::Origin && target.origin() != self.endpoint.origin()
        {
            return refuse("only the registry itself may answer");
        }
        // The other codes turn a POST into a GET, which asks something else.
        if question.method != Method::GET && !matches!(status.as_u16(), 307 | 308) {
            return refuse("the redirect would change the question");
        }
        Ok(target)
    }

    async fn accept(&self, act: &Act, response: Response) -> Result<Response, ClientError> {
        if response.status() != StatusCode::OK {
            return Err(self.refused(act, response).await);
        }
        match response.headers().get(CONTENT_ENCODING) {
            None => Ok(response),
            Some(encoding) if encoding == "identity" => Ok(response),
            Some(_) => Err(refusal::nonsense(
                act,
                "it is encoded, which was not asked for",
            )),
        }
    }

    async fn refused(&self, act: &Act, response: Response) -> ClientError {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = self
            .body(act, response, REFUSAL_BYTES_MAX, |_| ())
            .await
            // Without a readable body it is still reported as a refusal.
            .unwrap_or_default();
        let answer = refusal::answer(status, &headers, &body);
        let retry_after = refusal::retry_after(&headers);
        refusal::classify(act, &self.endpoint, self.signed_in(), answer, retry_after)
    }
}

/// A client that takes nothing from the environment: no proxy but the configured one, no
/// transparent decompression, no `Referer`.
pub(crate) fn base_client(
    config: &ClientConfig,
    policy: redirect::Policy,
) -> Result<reqwest::Client, ClientError> {
    let failed = |source: reqwest::Error| ClientError::Setup {
        endpoint: Box::new(config.endpoint.clone()),
        source: Box::new(source.without_url()),
    };
    let mut builder = reqwest::Client::builder()
        .user_agent(&config.user_agent)
        .connect_timeout(config.timeouts.connect)
        .redirect(policy)
        .referer(false)
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    if let Some(proxy) = &config.proxy {
        builder = builder.proxy(reqwest::Proxy::all(proxy.clone()).map_err(failed)?);
    }
    builder.build().map_err(failed)
}

#[cfg(test)]
mod tests;
