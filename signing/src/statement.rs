//! The in-toto statement that is signed: each file of a package by its name and digest.
//!
//! The one subject is the package; its digest is over the digests of the files, in their order.
//! The files are the resources of the predicate, <https://model_signing/signature/v1.0>.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, Hasher, package_file};

use crate::error::SigningError;
use crate::package_files::HashedFile;

pub(crate) const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = "https://model_signing/signature/v1.0";
const ALGORITHM: &str = "sha256";
const METHOD: &str = "files";

/// The paths that a verifier of a whole directory leaves out, as `model_signing` lists them.
const IGNORED_PATHS: [&str; 5] = [
    package_file::SIGNATURE,
    ".git",
    ".gitignore",
    ".gitattributes",
    ".github",
];

/// A statement. Members that it does not name are ignored, as in-toto and the predicate want it;
/// one that is there twice is refused.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Statement {
    #[serde(rename = "_type")]
    r#type: String,
    subject: Vec<Subject>,
    predicate_type: String,
    predicate: Predicate,
}

/// The subject of a statement, by its name and digest.
#[derive(Serialize, Deserialize)]
pub(crate) struct Subject {
    name: String,
    digest: SubjectDigest,
}

impl Subject {
    pub(crate) fn of(name: &str, digest: Digest) -> Self {
        Self {
            name: name.to_owned(),
            digest: SubjectDigest {
                sha256: digest.hex(),
            },
        }
    }

    pub(crate) fn is(&self, name: &str, digest: Digest) -> bool {
        self.name == name && self.digest.sha256 == digest.hex()
    }
}

#[derive(Serialize, Deserialize)]
struct SubjectDigest {
    sha256: String,
}

#[derive(Serialize, Deserialize)]
struct Predicate {
    serialization: Serialization,
    resources: Vec<Resource>,
}

#[derive(Serialize, Deserialize)]
struct Serialization {
    method: String,
    hash_type: String,
    #[serde(default)]
    allow_symlinks: bool,
    #[serde(default)]
    ignore_paths: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Resource {
    name: String,
    algorithm: String,
    digest: String,
}

impl Statement {
    /// The statement on a package called `name` with `files`.
    pub(crate) fn of(name: &str, files: &[HashedFile]) -> Self {
        let digests = files.iter().map(|(_, digest)| *digest);
        let resources = files.iter().map(|(name, digest)| Resource {
            name: (*name).to_owned(),
            algorithm: ALGORITHM.to_owned(),
            digest: digest.hex(),
        });
        Self {
            r#type: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject::of(name, root(digests))],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Predicate {
                serialization: Serialization {
                    method: METHOD.to_owned(),
                    hash_type: ALGORITHM.to_owned(),
                    allow_symlinks: false,
                    ignore_paths: IGNORED_PATHS.map(str::to_owned).to_vec(),
                },
                resources: resources.collect(),
            },
        }
    }

    /// The digest of the subject: that of all `files`.
    pub(crate) fn digest_of(files: &[HashedFile]) -> Digest {
        root(files.iter().map(|(_, digest)| *digest))
    }

    /// Reads the payload of an envelope.
    pub(crate) fn from_payload(payload: &[u8]) -> Result<Self, SigningError> {
        let statement: Self = serde_json::from_slice(payload)
            .map_err(|error| SigningError::malformed(format!("its statement: {error}")))?;
        let expected = [
            ("_type", &statement.r#type, STATEMENT_TYPE),
            ("predicateType", &statement.predicate_type, PREDICATE_TYPE),
            ("method", &statement.predicate.serialization.method, METHOD),
            (
                "hash_type",
                &statement.predicate.serialization.hash_type,
                ALGORITHM,
            ),
        ];
        for (member, found, wanted) in expected {
            if found != wanted {
                let reason = format!("the `{member}` of its statement is not `{wanted}`");
                return Err(SigningError::malformed(reason));
            }
        }
        Ok(statement)
    }

    /// Holds the statement against `files`: it has to name each of them, with its digest, and
    /// nothing else. A name that is none of a package's, such as `./tool.toml`, is a file that
    /// the package does not have.
    pub(crate) fn check(&self, files: &[HashedFile]) -> Result<(), SigningError> {
        let mut signed: BTreeMap<&str, Digest> = BTreeMap::new();
        let mut digests = Vec::new();
        for resource in &self.predicate.resources {
            let digest = resource.digest()?;
            digests.push(digest);
            if signed.insert(&resource.name, digest).is_some() {
                return Err(SigningError::malformed("it names a file twice"));
            }
        }
        let [subject] = &self.subject[..] else {
            return Err(SigningError::malformed("it has not exactly one subject"));
        };
        if digest_of_hex(&subject.digest.sha256)? != root(digests.into_iter()) {
            let reason = "the digest of its subject is not that of its files";
            return Err(SigningError::malformed(reason));
        }
        for (file, digest) in files {
            match signed.remove(file) {
                Some(signed) if signed == *digest => {}
                Some(_) => return Err(SigningError::FileDiffers { file }),
                None => return Err(SigningError::FileNotSigned { file }),
            }
        }
        match signed.keys().next() {
            None => Ok(()),
            Some(name) => Err(SigningError::missing(name)),
        }
    }

    pub(crate) fn to_payload(&self) -> Result<Vec<u8>, SigningError> {
        serde_json::to_vec(self).map_err(|error| SigningError::malformed(error.to_string()))
    }
}

impl Resource {
    fn digest(&self) -> Result<Digest, SigningError> {
        match self.algorithm == ALGORITHM {
            true => digest_of_hex(&self.digest),
            false => Err(SigningError::malformed(
                "it names a file by another digest than SHA-256",
            )),
        }
    }
}

pub(crate) fn digest_of_hex(text: &str) -> Result<Digest, SigningError> {
    let digest = text.parse::<Digest>().ok();
    // Without the name of the algorithm, which stands beside it.
    let digest = digest.filter(|digest| digest.hex() == text);
    digest
        .ok_or_else(|| SigningError::malformed("it has a digest that is not 64 lower-case digits"))
}

/// The digest over the bytes of other digests, as `model_signing` computes it.
fn root(digests: impl Iterator<Item = Digest>) -> Digest {
    let mut hasher = Hasher::new();
    for digest in digests {
        hasher.update(digest.as_bytes());
    }
    hasher.finish()
}
