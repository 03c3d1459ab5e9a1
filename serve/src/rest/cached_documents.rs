//! The list of tools and the OpenAPI document, rendered once per catalogue, with ETags.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use rmcp::model::Tool as Definition;
use serde_json::{Map, Value, json};
use tool_hub_manifest::{Digest, FunctionSpec};

use super::openapi;
use crate::catalogue::Catalogue;
use crate::toolset::Toolset;

/// The pages of the catalogue that is served now.
#[derive(Default)]
pub(super) struct PageCache(Mutex<Option<(Arc<Catalogue>, Arc<CataloguePages>)>>);

/// The pages of one catalogue.
pub(super) struct CataloguePages {
    pub(super) list: Page,
    pub(super) document: Page,
}

/// A JSON text with its ETag.
pub(super) struct Page {
    text: Bytes,
    tag: String,
}

impl PageCache {
    pub(super) fn of(&self, toolset: &Toolset) -> Arc<CataloguePages> {
        let catalogue = toolset.catalogue();
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, pages)) = &*made
            && Arc::ptr_eq(of, &catalogue)
        {
            return pages.clone();
        }
        let pages = Arc::new(CataloguePages::new(&catalogue));
        *made = Some((catalogue, pages.clone()));
        pages
    }
}

impl CataloguePages {
    fn new(catalogue: &Catalogue) -> Self {
        let described = catalogue.described();
        let tools: Vec<Value> = described.map(|(spec, known)| entry(spec, known)).collect();
        Self {
            document: Page::new(&openapi::document(catalogue)),
            list: Page::new(&json!({ "tools": tools })),
        }
    }
}

/// A function as programs read about it. Its output schema is the one of `structured` in an
/// answer.
pub(super) fn entry(spec: &FunctionSpec, definition: &Definition) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), spec.name.clone().into());
    if let Some(title) = &spec.title {
        entry.insert("title".to_owned(), title.clone().into());
    }
    entry.insert("description".to_owned(), spec.description.clone().into());
    entry.insert("input_schema".to_owned(), spec.input_schema.clone());
    if let Some(schema) = &definition.output_schema {
        let schema = Value::Object(schema.as_ref().clone());
        entry.insert("output_schema".to_owned(), schema);
    }
    entry.insert("annotations".to_owned(), json!(spec.annotations));
    Value::Object(entry)
}

impl Page {
    pub(super) fn new(json: &Value) -> Self {
        let text = json.to_string();
        Self {
            tag: format!("\"{}\"", Digest::of(text.as_bytes()).hex()),
            text: text.into(),
        }
    }

    /// The page, or 304 for a client that has it.
    pub(super) fn answer(&self, headers: &HeaderMap) -> Response {
        let has_it = self.is_known(headers);
        let mut response = Response::new(match has_it {
            true => Body::empty(),
            false => Body::from(self.text.clone()),
        });
        let json = HeaderValue::from_static("application/json");
        let headers = response.headers_mut();
        // Each token sees a list of its own, so no shared cache keeps it, and each use is checked.
        let keep = HeaderValue::from_static("private, no-cache");
        headers.insert(header::CACHE_CONTROL, keep);
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(header::ETAG, tag);
        }
        if has_it {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            headers.insert(header::CONTENT_TYPE, json);
        }
        response
    }

    /// Returns true if the client says that it has the page, as RFC 9110 compares for that purpose.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let known = headers.get_all(header::IF_NONE_MATCH).iter();
        known
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || tag == self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sent_to_who_has_not_got_it() {
        let page = Page::new(&json!({"tools": []}));
        let tag = page.tag.clone();
        for (tags, expect) in [
            (vec![], StatusCode::OK),
            (vec!["\"another\""], StatusCode::OK),
            (vec![tag.trim_matches('"')], StatusCode::OK),
            (vec![&*tag], StatusCode::NOT_MODIFIED),
            (vec![&*format!("W/{tag}")], StatusCode::NOT_MODIFIED),
            (vec![&*format!("\"a\", {tag}")], StatusCode::NOT_MODIFIED),
            (vec!["\"a\"", &tag], StatusCode::NOT_MODIFIED),
            (vec!["*"], StatusCode::NOT_MODIFIED),
        ] {
            let mut headers = HeaderMap::new();
            for tag in &tags {
                headers.append(header::IF_NONE_MATCH, tag.parse().unwrap());
            }
            let answer = page.answer(&headers);
            assert_eq!(answer.status(), expect, "{tags:?}");
            assert_eq!(answer.headers()[header::ETAG], *tag);
        }
    }
}
