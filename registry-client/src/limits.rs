//! Constants that limit the client: bytes of files and answers, search results, redirects, retries.

/// The largest manifest that is pulled or pushed, as the manifest parser reads no more.
pub const MANIFEST_BYTES_MAX: u64 = 1 << 20;
/// The largest component that is pulled, pushed or read from the store.
pub const COMPONENT_BYTES_MAX: u64 = 64 << 20;
/// The largest bill of materials that is pulled, pushed or read from the store.
pub const SBOM_BYTES_MAX: u64 = 4 << 20;
/// The largest card that is fetched or pushed.
pub const CARD_BYTES_MAX: u64 = 1 << 20;
/// The largest signature that is fetched or pushed.
pub const SIGNATURE_BYTES_MAX: u64 = 64 << 10;
/// The largest `attestations.jsonl` that is fetched or pushed.
pub const ATTESTATIONS_BYTES_MAX: u64 = 256 << 10;
/// The largest public key that is fetched or pushed.
pub const SIGNER_BYTES_MAX: u64 = 4 << 10;
/// The longest token.
pub const TOKEN_BYTES_MAX: usize = 1024;
/// The most results that one search gives.
pub const SEARCH_RESULTS_MAX: usize = 1000;

/// The most results that one request of a search brings.
pub(crate) const SEARCH_PAGE_MAX: usize = 100;
/// The largest JSON answer: a list of refs or of search results.
pub(crate) const ANSWER_BYTES_MAX: u64 = 8 << 20;
/// The longest checkpoint of a log that is fetched, with the signatures of its witnesses.
pub const CHECKPOINT_BYTES_MAX: u64 = 16 << 10;
/// The most bytes of the body of a refusal that are read for its message.
pub(crate) const REFUSAL_BYTES_MAX: u64 = 16 << 10;
/// The most characters of a registry's text that an error carries.
pub(crate) const EXCERPT_CHARS_MAX: usize = 300;
/// The most redirects that one request follows.
pub(crate) const REDIRECTS_MAX: usize = 5;
/// The most attempts at a download that breaks off, each from its beginning.
pub(crate) const DOWNLOAD_ATTEMPTS_MAX: usize = 3;
/// The most attempts at a question while the registry says that it is not available.
pub(crate) const QUESTION_ATTEMPTS_MAX: usize = 3;
/// A transfer that is slower than this over a whole stall window has stalled. Without it a
/// byte now and then would keep a connection, and whoever waits for it, for ever.
pub(crate) const TRANSFER_BYTES_PER_SECOND_MIN: u64 = 1024;
/// The most known versions that an error lists.
pub(crate) const VERSIONS_LISTED_MAX: usize = 20;
