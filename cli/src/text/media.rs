//! Pictures and sounds in arguments and answers: their types, file endings, JSON and descriptions.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::Value;

/// The media type of a file: by what its first bytes say, else by its name.
pub(super) fn media_type(path: &Path, bytes: &[u8]) -> &'static str {
    const SIGNATURES: [(&[u8], &str); 8] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"%PDF", "application/pdf"),
    ];
    if bytes.starts_with(b"RIFF") {
        match bytes.get(8..12) {
            Some(b"WEBP") => return "image/webp",
            Some(b"WAVE") => return "audio/wav",
            _ => {}
        }
    }
    if let Some((_, media_type)) = SIGNATURES
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
    {
        return media_type;
    }
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "txt" | "md" => "text/plain",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

/// A picture or a sound as arguments hold it.
pub(super) fn media(media_type: &str, bytes: &[u8]) -> Value {
    serde_json::json!({ "media_type": media_type, "data": BASE64.encode(bytes) })
}

/// The usual ending of files of a media type.
pub(crate) fn file_ending(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/bmp" => "bmp",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "audio/wav" => "wav",
        _ => "bin",
    }
}

/// A description of a picture or a sound in a few words; `None` if `value` is neither.
pub(crate) fn about_media(value: &Value) -> Option<String> {
    let members = value.as_object().filter(|members| members.len() == 2)?;
    let media_type = members.get("media_type")?.as_str()?;
    let bytes = BASE64
        .decode(members.get("data")?.as_str()?.as_bytes())
        .ok()?;
    Some(format!("[{media_type}, {} bytes]", bytes.len()))
}
