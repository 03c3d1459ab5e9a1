//! Serves each note as a resource, and a prompt about the notes.

use crate::bindings::exports::tool_hub::tool::prompts::{
    Guest as Prompts, Prompt, PromptArgument, PromptMessage,
};
use crate::bindings::exports::tool_hub::tool::resources::{
    Guest as Resources, ResourceEntry, ResourceTemplate,
};
use crate::bindings::tool_hub::tool::types::{
    Annotations, ContentBody, EmbeddedResource, Failure, FailureKind, ResourceContents, Role,
};
use crate::failure::{describe, failure};
use crate::name::Name;
use crate::{Notes, modified, open, part};

const MARKDOWN: &str = "text/markdown";
const REVIEW: &str = "review_notes";
/// A conversation should begin with a handful of notes, not with all of them.
const REVIEW_NOTES_MAX: usize = 10;

impl Resources for Notes {
    fn list_resources() -> Result<Vec<ResourceEntry>, Failure> {
        let listed = open()?.list("").map_err(|fault| describe(fault, None))?;
        Ok(listed
            .into_iter()
            .map(|entry| ResourceEntry {
                uri: entry.name.uri(),
                name: entry.name.to_string(),
                title: None,
                description: None,
                media_type: Some(MARKDOWN.to_owned()),
                size: Some(entry.bytes),
                annotations: Some(Annotations {
                    audience: Vec::new(),
                    priority: None,
                    last_modified: Some(modified(&entry)),
                }),
            })
            .collect())
    }

    fn list_templates() -> Result<Vec<ResourceTemplate>, Failure> {
        Ok(vec![ResourceTemplate {
            uri_template: "notes://{name}".to_owned(),
            name: "note".to_owned(),
            title: Some("Note".to_owned()),
            description: Some("A note by its name.".to_owned()),
            media_type: Some(MARKDOWN.to_owned()),
        }])
    }

    fn read_resource(uri: String) -> Result<Vec<EmbeddedResource>, Failure> {
        let name = Name::of_uri(&uri).ok_or_else(|| {
            failure(
                FailureKind::NotFound,
                format!("`{uri}` is not the address of a note"),
                "use an address such as `notes://groceries`",
                Some("uri"),
            )
        })?;
        Ok(vec![embedded(&name)?])
    }
}

impl Prompts for Notes {
    fn list_prompts() -> Vec<Prompt> {
        vec![Prompt {
            name: REVIEW.to_owned(),
            title: Some("Review my notes".to_owned()),
            description: Some("Sums notes up and names what is left to do.".to_owned()),
            arguments: vec![PromptArgument {
                name: "prefix".to_owned(),
                description: Some(
                    "How the names of the notes begin; all notes when left out.".to_owned(),
                ),
                required: false,
            }],
        }]
    }

    fn get_prompt(
        name: String,
        arguments: Vec<(String, String)>,
    ) -> Result<Vec<PromptMessage>, Failure> {
        if name != REVIEW {
            return Err(failure(
                FailureKind::NotFound,
                format!("there is no prompt `{name}`"),
                format!("use `{REVIEW}`"),
                Some("name"),
            ));
        }
        let mut prefix = String::new();
        for (key, value) in arguments {
            if key != "prefix" {
                return Err(failure(
                    FailureKind::InvalidArgument,
                    format!("the prompt `{REVIEW}` takes no argument `{key}`"),
                    "leave it out; the only argument is `prefix`",
                    Some(&key),
                ));
            }
            prefix = value;
        }
        let listed = open()?
            .list(&prefix)
            .map_err(|fault| describe(fault, None))?;
        let question = "Sum these notes up in a few lines, and then list what is left to do.";
        let mut messages = vec![said(ContentBody::Text(question.to_owned()))];
        for entry in listed.into_iter().take(REVIEW_NOTES_MAX) {
            messages.push(said(ContentBody::Resource(embedded(&entry.name)?)));
        }
        Ok(messages)
    }
}

fn embedded(name: &Name) -> Result<EmbeddedResource, Failure> {
    let notebook = open()?;
    let (text, _) = notebook
        .read(name)
        .map_err(|fault| describe(fault, Some(&notebook)))?;
    Ok(EmbeddedResource {
        uri: name.uri(),
        media_type: Some(MARKDOWN.to_owned()),
        contents: ResourceContents::Text(text),
    })
}

fn said(body: ContentBody) -> PromptMessage {
    PromptMessage {
        role: Role::User,
        content: part(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_prompts_arguments_and_addresses_are_named() {
        let failure = Notes::get_prompt("review".to_owned(), Vec::new()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotFound);
        let given = vec![("topic".to_owned(), "x".to_owned())];
        let failure = Notes::get_prompt(REVIEW.to_owned(), given).unwrap_err();
        assert_eq!(failure.argument.as_deref(), Some("topic"));
        let failure = Notes::read_resource("notes://../x".to_owned()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotFound);
    }
}
