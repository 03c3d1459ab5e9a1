//! The component `thumbnail`: hands the exports of `wit/world.wit` to [`picture`].

pub mod picture;

use bindings::exports::demo::thumbnail::thumbnails::{Description, Format, Guest, Image};
use bindings::tool_hub::tool::types::{Failure, FailureKind};
use picture::{Encoding, Fault};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "demo:thumbnail/thumbnail",
        generate_all,
    });
    use super::Thumbnail;
    export!(Thumbnail);
}

const SIDE_MAX: u32 = 4096;
const QUALITY_DEFAULT: u8 = 80;

/// The exports of the component.
struct Thumbnail;

impl Guest for Thumbnail {
    fn describe(picture: Image) -> Result<Description, Failure> {
        let found = picture::describe(&picture.data).map_err(unreadable)?;
        Ok(Description {
            width: found.width,
            height: found.height,
            media_type: found.media_type.to_owned(),
            transparent: found.transparent,
            colours: found.colours,
            bytes: picture.data.len() as u64,
        })
    }

    fn shrink(
        picture: Image,
        longest_side: u32,
        format: Option<Format>,
        quality: Option<u8>,
    ) -> Result<Image, Failure> {
        if !(1..=SIDE_MAX).contains(&longest_side) {
            return Err(invalid(
                "longest_side",
                format!("`longest_side` is {longest_side}"),
                format!("use 1 to {SIDE_MAX} pixels"),
            ));
        }
        let quality = quality.unwrap_or(QUALITY_DEFAULT);
        if !(1..=100).contains(&quality) {
            return Err(invalid(
                "quality",
                format!("`quality` is {quality}"),
                "use 1 to 100; 80 is a good choice".to_owned(),
            ));
        }
        let encoding = format.map(|format| match format {
            Format::Jpeg => Encoding::Jpeg,
            Format::Png => Encoding::Png,
        });
        let small =
            picture::shrink(&picture.data, longest_side, encoding, quality).map_err(unreadable)?;
        Ok(Image {
            media_type: small.media_type.to_owned(),
            data: small.data,
        })
    }
}

fn unreadable(fault: Fault) -> Failure {
    match fault {
        Fault::Encode(message) => Failure {
            kind: FailureKind::Internal,
            message,
            fix: None,
            argument: None,
            retryable: false,
        },
        Fault::TooLarge(message) => Failure {
            kind: FailureKind::LimitReached,
            ..invalid(
                "picture",
                message,
                "pass a smaller picture: at most 20 MiB and 50 million pixels".to_owned(),
            )
        },
        Fault::Decode(message) => invalid(
            "picture",
            message,
            "pass the whole file of a PNG, JPEG, GIF or WebP picture".to_owned(),
        ),
    }
}

fn invalid(argument: &str, message: String, fix: String) -> Failure {
    Failure {
        kind: FailureKind::InvalidArgument,
        message,
        fix: Some(fix),
        argument: Some(argument.to_owned()),
        retryable: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_out_of_range_are_named() {
        let picture = || Image {
            media_type: "image/png".to_owned(),
            data: b"nonsense".to_vec(),
        };
        let fault = |side, quality| {
            let failure = Thumbnail::shrink(picture(), side, None, quality).unwrap_err();
            (failure.kind, failure.argument.unwrap())
        };
        assert_eq!(
            fault(0, None),
            (FailureKind::InvalidArgument, "longest_side".to_owned())
        );
        assert_eq!(
            fault(5000, None),
            (FailureKind::InvalidArgument, "longest_side".to_owned())
        );
        assert_eq!(
            fault(9, Some(0)),
            (FailureKind::InvalidArgument, "quality".to_owned())
        );
        assert_eq!(
            fault(9, None),
            (FailureKind::InvalidArgument, "picture".to_owned())
        );
    }
}
