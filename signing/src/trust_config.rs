//! The `TrustConfig`: what a client of a private Sigstore is told, its root and its services.

use serde::Deserialize;
use serde_json::value::RawValue;

const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.clienttrustconfig";

/// The parts of a client's trust configuration, as JSON. A file with another media type is not
/// one, and has no parts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrustConfig<'a> {
    media_type: String,
    #[serde(borrow)]
    trusted_root: Option<&'a RawValue>,
    #[serde(borrow)]
    signing_config: Option<&'a RawValue>,
}

impl<'a> TrustConfig<'a> {
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The root by which signatures are verified.
    pub(crate) fn trusted_root(&self) -> Option<&'a str> {
        self.part(self.trusted_root)
    }

    /// The services that sign.
    pub(crate) fn signing_config(&self) -> Option<&'a str> {
        self.part(self.signing_config)
    }

    fn part(&self, part: Option<&'a RawValue>) -> Option<&'a str> {
        let is_config = self.media_type.starts_with(MEDIA_TYPE);
        part.filter(|_| is_config).map(RawValue::get)
    }
}
