//! The place of the content storage: the registry's directory, or an S3 bucket and its options.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use url::Url;

use super::address_error::AddressError;

/// The place where a registry keeps the bytes of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageAddress {
    /// `content/`, in the registry's directory.
    #[default]
    Directory,
    /// A bucket, which several servers may share.
    S3(S3Storage),
}

/// A bucket on a server that speaks S3.
///
/// Its `Debug` form shows the names of the options and not their values, because keys are among
/// them.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct S3Storage {
    /// The bucket. It must be there.
    pub bucket: String,
    /// The beginning of all keys of this registry; empty for the whole bucket.
    pub prefix: String,
    /// Endpoint, region, keys and whatever else the server takes, under the names the `AWS_…`
    /// variables have in either case: `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_WEB_IDENTITY_TOKEN_FILE` and so on. Names that mean nothing
    /// here are passed over, so the whole environment may be given.
    pub options: BTreeMap<String, String>,
    /// The way in which clients get long files.
    pub downloads: Downloads,
}

/// The way in which clients get the bytes of long files out of a bucket. Short ones always come
/// through the registry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Downloads {
    /// From the bucket: a GET is answered with a redirect to an address that is signed for a
    /// quarter of an hour.
    #[default]
    Redirect,
    /// Through the registry, for buckets that clients cannot reach.
    Proxy,
}

impl FromStr for S3Storage {
    type Err = AddressError;

    /// Reads `s3://bucket/prefix`; without options and with [`Downloads::Redirect`].
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text)?;
        if url.scheme() != "s3" {
            return Err(AddressError::Scheme {
                expected: "s3",
                actual: url.scheme().to_owned(),
            });
        }
        let bucket = url
            .host_str()
            .filter(|host| !host.is_empty())
            .ok_or(AddressError::NoBucket)?;
        let more = !url.username().is_empty()
            || url.password().is_some()
            || url.port().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if more {
            return Err(AddressError::MoreThanABucket);
        }
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: url.path().trim_matches('/').to_owned(),
            options: BTreeMap::new(),
            downloads: Downloads::default(),
        })
    }
}

impl FromStr for StorageAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        text.parse().map(Self::S3)
    }
}

impl fmt::Display for S3Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.prefix)
    }
}

impl fmt::Debug for S3Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Storage")
            .field("address", &self.to_string())
            .field("options", &self.options.keys())
            .field("downloads", &self.downloads)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(&str, &str), AddressError>) {
        let parsed = text
            .parse::<S3Storage>()
            .map(|storage| (storage.bucket, storage.prefix));
        assert_eq!(
            parsed,
            expect.map(|(bucket, prefix)| (bucket.to_owned(), prefix.to_owned())),
            "{text}"
        );
    }

    #[test]
    fn addresses() {
        check("s3://tools", Ok(("tools", "")));
        check("s3://tools/", Ok(("tools", "")));
        check("s3://tools/a/b/", Ok(("tools", "a/b")));
        check("s3:///a", Err(AddressError::NoBucket));
        check("s3://key:secret@tools", Err(AddressError::MoreThanABucket));
        check("s3://tools:9000/a", Err(AddressError::MoreThanABucket));
        check("s3://tools?region=x", Err(AddressError::MoreThanABucket));
        check(
            "gs://tools",
            Err(AddressError::Scheme {
                expected: "s3",
                actual: "gs".to_owned(),
            }),
        );
    }

    #[test]
    fn keys_are_not_shown() {
        let mut storage: S3Storage = "s3://tools/a".parse().unwrap();
        let secret = ("AWS_SECRET_ACCESS_KEY".to_owned(), "s3cret".to_owned());
        storage.options.extend([secret]);
        let shown = format!("{storage:?}");
        assert!(
            shown.contains("AWS_SECRET_ACCESS_KEY") && !shown.contains("s3cret"),
            "{shown}"
        );
    }
}
