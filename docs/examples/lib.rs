//! An example tool: draws a picture, reads one, and fails with advice.

wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });

use exports::docs::dots::dots::Guest;
use tool_hub::tool::types::{Content, ContentBody, Failure, FailureKind, Image, Reply};

struct Tool;

impl Guest for Tool {
    fn draw(colour: String) -> Result<Image, Failure> {
        let fill = match colour.as_str() {
            "red" => "#f00",
            "blue" => "#00f",
            other => {
                return Err(Failure {
                    kind: FailureKind::InvalidArgument,
                    message: format!("`{other}` is no colour of mine"),
                    fix: Some("use `red` or `blue`".into()),
                    argument: Some("colour".into()),
                    retryable: false,
                });
            }
        };
        let text = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4" fill="{fill}"/></svg>"#
        );
        Ok(Image {
            media_type: "image/svg+xml".into(),
            data: text.into_bytes(),
        })
    }

    fn look_at(picture: Image) -> Reply {
        let bytes = picture.data.len();
        let text = format!("{bytes} bytes of {}", picture.media_type);
        Reply {
            content: vec![Content {
                body: ContentBody::Text(text),
                annotations: None,
            }],
            structured: Some(format!(r#"{{"bytes":{bytes}}}"#)),
            next: Some("Draw another one with `draw`.".into()),
        }
    }
}

export!(Tool);
