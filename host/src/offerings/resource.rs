//! Types for the resources and templates that a tool offers, and their reading from its values.

use tool_hub_manifest::contract::{ContentAnnotations, EmbeddedResource, Failure, ResourceLink};
use wasmtime::component::Val;

use crate::offerings::entries::{bounded, fault, quoted};
use crate::offerings::uri_template::UriTemplate;
use crate::values::contract::{hints, link, ok, resource};
use crate::values::val::{TypeMismatch, items, members, optional, optional_text, text};

/// The longest URI, or template of one.
const URI_BYTES_MAX: usize = 2_048;

/// A resource as it is listed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResourceEntry {
    /// Its address and description; the URI is absolute.
    pub link: ResourceLink,
    /// Hints to whoever shows it.
    pub annotations: Option<ContentAnnotations>,
}

/// A family of resources whose URIs follow one pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The pattern.
    pub uri_template: UriTemplate,
    /// A short name for programs.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// The contents of the resources.
    pub description: Option<String>,
    /// Their media type, when all have the same.
    pub media_type: Option<String>,
}

/// Reads the list that a call returned, each entry with `one`.
pub(crate) fn all<T>(
    result: Option<&Val>,
    what: &str,
    one: impl Fn(&Val) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let values = items(ok(result)?)?;
    bounded(values.len(), what)?;
    values.iter().map(one).collect()
}

/// Reads a resource of a list.
pub(crate) fn entry(value: &Val) -> Result<ResourceEntry, Failure> {
    let Val::Record(fields) = value else {
        return Err(TypeMismatch.into());
    };
    let Some(((_, annotations), about)) = fields.split_last() else {
        return Err(TypeMismatch.into());
    };
    let entry = ResourceEntry {
        link: link(&Val::Record(about.to_vec()))?,
        annotations: optional(annotations, hints)?,
    };
    absolute(&entry.link.uri)?;
    Ok(entry)
}

/// Reads a family of resources.
pub(crate) fn template(value: &Val) -> Result<ResourceTemplate, Failure> {
    let [uri_template, name, title, description, media_type] = members(value)?;
    let written = text(uri_template)?;
    let parsed = UriTemplate::parse(&written).filter(|_| written.len() <= URI_BYTES_MAX);
    Ok(ResourceTemplate {
        uri_template: parsed.ok_or_else(|| {
            fault(format!(
                "the tool lists the resources `{}`, which is not a template of absolute URIs \
                 (RFC 6570, level 1) of at most {URI_BYTES_MAX} bytes",
                quoted(&written)
            ))
        })?,
        name: text(name)?,
        title: optional_text(title)?,
        description: optional_text(description)?,
        media_type: optional_text(media_type)?,
    })
}

/// Reads a part of a resource.
pub(crate) fn part(value: &Val) -> Result<EmbeddedResource, Failure> {
    let part = resource(value)?;
    absolute(&part.uri)?;
    Ok(part)
}

fn absolute(uri: &str) -> Result<(), Failure> {
    if uri.len() <= URI_BYTES_MAX && UriTemplate::is_absolute(uri) {
        return Ok(());
    }
    Err(fault(format!(
        "the tool names a resource `{}`, which is not an absolute URI (RFC 3986) of at most \
         {URI_BYTES_MAX} bytes",
        quoted(uri)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<const N: usize>(fields: [Val; N]) -> Val {
        let fields = fields.into_iter();
        Val::Record(fields.map(|value| (String::new(), value)).collect())
    }

    fn text(text: &str) -> Val {
        Val::String(text.to_owned())
    }

    fn none() -> Val {
        Val::Option(None)
    }

    #[track_caller]
    fn check(uri: &str, is_taken: bool) {
        let size = Val::Option(Some(Box::new(Val::U64(3))));
        let listed = record([text(uri), text("n"), none(), none(), none(), size, none()]);
        let contents = Val::Variant("text".to_owned(), Some(Box::new(text("x"))));
        let read = record([text(uri), none(), contents]);
        match is_taken {
            true => {
                let entry = entry(&listed).unwrap();
                assert_eq!((&*entry.link.uri, entry.link.size), (uri, Some(3)));
                assert_eq!(part(&read).unwrap().uri, uri);
            }
            false => {
                let failure = entry(&listed).unwrap_err();
                assert!(failure.message.contains("not an absolute URI"), "{failure}");
                assert_eq!(part(&read).unwrap_err(), failure);
            }
        }
    }

    #[test]
    fn addresses_are_absolute_and_not_endless() {
        check("notes://a", true);
        check(&format!("x:{}", "y".repeat(URI_BYTES_MAX - 2)), true);
        check("a", false);
        check("notes://\u{202e}", false);
        check(&format!("x:{}", "y".repeat(URI_BYTES_MAX)), false);
    }

    #[test]
    fn families_follow_patterns() {
        let family = |pattern: &str| record([text(pattern), text("n"), none(), none(), none()]);
        let read = template(&family("notes://{name}")).unwrap();
        assert_eq!(read.uri_template.as_str(), "notes://{name}");
        let failure = template(&family("notes://{+name}")).unwrap_err();
        assert!(
            failure.message.contains("not a template of absolute URIs"),
            "{failure}"
        );
    }
}
