//! Names of the files of a tool package, as they stand in a repo.

/// The manifest: what the author claims about the tool.
pub const MANIFEST: &str = "tool.toml";
/// The component: the code that runs.
pub const COMPONENT: &str = "tool.wasm";
/// The interpreter that runs the program in the component, where there is one.
pub const INTERPRETER: &str = "interpreter.wasm";
/// The bill of materials: what the package is made of, in the format CycloneDX.
pub const SBOM: &str = "sbom.cdx.json";
/// The card, for people and for search.
pub const CARD: &str = "README.md";
/// The signature over the other files, where the package is signed: a Sigstore bundle, named as
/// OpenSSF model signing names it.
pub const SIGNATURE: &str = "model.sig";
/// The public key that the signature is of, as PEM. It is signed as well.
pub const SIGNER: &str = "signer.pem";
/// The statement of an earlier key that the signer's key replaces it, where there was one.
pub const ROTATION: &str = "signer-rotation.sig";
/// The attestations of build services, where there are some: each a Sigstore bundle on a line of
/// its own, as in-toto bundles statements.
pub const ATTESTATIONS: &str = "attestations.jsonl";
/// Every name that is ever pulled. Anything else in a repo is left where it is.
pub const ALL: [&str; 9] = [
    MANIFEST,
    COMPONENT,
    INTERPRETER,
    SBOM,
    CARD,
    SIGNATURE,
    SIGNER,
    ROTATION,
    ATTESTATIONS,
];
/// The state of the tool's versions since they were published. It is read at the head of the
/// default branch, and is no part of a package.
pub const RELEASES: &str = "releases.toml";
