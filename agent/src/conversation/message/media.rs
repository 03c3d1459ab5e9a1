//! Pictures, sounds, videos and documents in messages.

use std::fmt;

use super::dialect::MessageDialect;

/// A picture, a sound, a film or a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// The kind.
    pub kind: MediaKind,
    /// The source.
    pub source: MediaSource,
    /// The media type, such as `image/png`, if known.
    pub media_type: Option<String>,
    /// Its name or title.
    pub name: Option<String>,
    /// The resolution at which the model sees a picture; absent to let it choose.
    pub detail: Option<String>,
}

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
    /// A document.
    File,
}

/// A source of media.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaSource {
    /// At an address.
    Url(String),
    /// Here, in Base64.
    Data(String),
    /// Here, as text.
    Text(String),
    /// In a file of the machine that Transformers runs on.
    Path(String),
    /// With a provider, under an id.
    Stored {
        /// The id.
        id: String,
        /// The dialect it belongs to.
        by: MessageDialect,
    },
    /// Beside the messages.
    Elsewhere,
}

impl MediaKind {
    /// The kind's name in messages of Transformers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::File => "file",
        }
    }
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Media {
    pub(in crate::conversation) fn new(kind: MediaKind, source: MediaSource) -> Self {
        Self {
            kind,
            source,
            media_type: None,
            name: None,
            detail: None,
        }
    }

    /// Media at `url`, which may be a `data:` URL.
    pub(in crate::conversation) fn at(kind: MediaKind, url: &str) -> Self {
        match data_of(url) {
            Some((media_type, data)) => Self {
                media_type: Some(media_type.to_owned()),
                ..Self::new(kind, MediaSource::Data(data.to_owned()))
            },
            None => Self::new(kind, MediaSource::Url(url.to_owned())),
        }
    }

    /// The URL, or a `data:` URL if the bytes are here.
    pub(in crate::conversation) fn url(&self) -> Option<String> {
        match &self.source {
            MediaSource::Url(url) => Some(url.clone()),
            MediaSource::Data(data) => {
                Some(format!("data:{};base64,{data}", self.type_or_guess(data)))
            }
            _ => None,
        }
    }

    /// The id under which `dialect`'s provider has it.
    pub(in crate::conversation) fn id_for(&self, dialect: MessageDialect) -> Option<&str> {
        match &self.source {
            MediaSource::Stored { id, by } if by.shares_files_with(dialect) => Some(id),
            _ => None,
        }
    }

    /// The media type, guessed from the first bytes if unknown.
    pub(in crate::conversation) fn type_or_guess(&self, data: &str) -> &str {
        let told = self.media_type.as_deref();
        told.unwrap_or_else(|| {
            let known = BEGINNINGS.iter().find(|(begin, _)| data.starts_with(begin));
            known.map_or("application/octet-stream", |(_, media_type)| media_type)
        })
    }

    /// The text that replaces it in a dialect that cannot express it.
    pub(in crate::conversation) fn placeholder(&self) -> String {
        match &self.name {
            Some(name) => format!("[{} left out: {name}]", self.kind),
            None => format!("[{} left out]", self.kind),
        }
    }

    /// OpenAI's name for the format of a sound.
    pub(in crate::conversation) fn audio_format(&self) -> Option<&str> {
        match self.media_type.as_deref()? {
            "audio/mpeg" => Some("mp3"),
            other => other.strip_prefix("audio/"),
        }
    }

    /// A sound; `format` is OpenAI's name for its format.
    pub(in crate::conversation) fn audio(data: &str, format: Option<&str>) -> Self {
        let media_type = format.map(|format| match format {
            "mp3" => "audio/mpeg".to_owned(),
            other => format!("audio/{other}"),
        });
        Self {
            media_type,
            ..Self::new(MediaKind::Audio, MediaSource::Data(data.to_owned()))
        }
    }
}

/// The Base64 beginnings of common file types.
const BEGINNINGS: [(&str, &str); 5] = [
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
];

/// The media type and the bytes of a `data:` URL.
pub(in crate::conversation) fn data_of(url: &str) -> Option<(&str, &str)> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    let is_plain = !media_type.is_empty() && !media_type.contains([',', ';']);
    is_plain.then_some((media_type, data))
}
