//! The registry's limits on sizes, memory, time, connections, rates and storage, with defaults.

use std::time::Duration;

/// Bounds on requests, enforced while the bytes arrive, never after they were collected.
///
/// [`Limits::standard`] is meant for a company's tools: single files of some gigabytes,
/// repositories of some ten thousand files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Longest JSON or form body. The Rust client announces all files of a commit in one preupload
    /// body, about 800 bytes a file.
    pub json_bytes_max: usize,
    /// Longest such body for routes that take no list, in bytes.
    pub plain_body_bytes_max: usize,
    /// Longest such body without a valid token, in bytes.
    pub anonymous_body_bytes_max: usize,
    /// Most bytes of bodies in memory at once, over all connections; a sixth is for requests
    /// without a valid token, the rest for the others. When a part is used up, a request waits for
    /// a while and is then refused with 503. Arriving files take at most half of it and are
    /// otherwise written to disk at once.
    pub buffered_bytes_max: usize,
    /// Most bytes of answers in memory at once, of all connections together, not counting short
    /// ones; divided in the same way. When a part is used up, a request waits for a while and is
    /// then refused with 503. Downloads take at most half and are otherwise read in small pieces.
    pub answer_bytes_max: usize,
    /// Most requests with long lists that are worked on at once; the others wait for their turn,
    /// and are refused with 503 after a while. Half of the turns, rounded down but at least one,
    /// are for requests without a valid token.
    pub long_lists_max: usize,
    /// Most listings of a repository's files that are made at once; the same holds for their turns.
    pub listings_max: usize,
    /// Longest wait of a request for the memory of its body, as long for a turn, and as long for
    /// the memory of its answer.
    pub buffer_wait_max: Duration,
    /// Longest commit body, base64 and all.
    pub commit_bytes_max: u64,
    /// Longest single file after decoding.
    pub file_bytes_max: u64,
    /// Most files, deletions and folders in one commit.
    pub commit_operations_max: usize,
    /// Longest line of a commit body, not counting the base64 of a file's content.
    pub commit_line_bytes_max: usize,
    /// Longest commit title plus description.
    pub commit_message_bytes_max: usize,
    /// A file up to this size is hashed in memory; a longer one goes through a temporary file.
    pub spool_memory_bytes_max: usize,
    /// Files of one commit written to the content store at the same time.
    pub content_writes_in_flight_max: usize,
    /// Most entries of one page of a tree listing.
    pub tree_page_max: usize,
    /// Most entries of one page of a tree listing that asks for the last commit of each entry.
    pub tree_expanded_page_max: usize,
    /// Most paths in one paths-info request.
    pub paths_max: usize,
    /// Most path components in one paths-info request, over all paths.
    pub path_levels_max: usize,
    /// Most commits of one page of the history.
    pub history_page_max: usize,
    /// Most repositories of one page of a search.
    pub search_page_max: usize,
    /// Longest front matter that is read from a card.
    pub card_bytes_max: usize,
    /// Longest `tool.toml`; the clients read no longer one.
    pub manifest_bytes_max: usize,
    /// Most versions of one page of a tool's view.
    pub tool_versions_page_max: usize,
    /// Most former names of a repository, which go on leading to it. What is said of a version is
    /// logged under each.
    pub former_names_max: usize,
    /// Most versions of a repository that is moved, each of which is logged under the new name.
    pub moved_versions_max: usize,
    /// Most records of yanks that one commit appends to the log. Meanwhile nobody else publishes.
    pub commit_yank_records_max: usize,
    /// Longest wait for a client that is sending a body, until it has sent
    /// [`Limits::stall_bytes_min`] more.
    pub body_stall_max: Duration,
    /// The same, and as long for a client that is sent an answer, while less than half of the
    /// memory for bodies or answers, or of the connections, is free.
    pub pressed_stall_max: Duration,
    /// Longest wait for a client that is sent an answer, until it has taken
    /// [`Limits::stall_bytes_min`] more.
    pub answer_stall_max: Duration,
    /// The fewest bytes in the time above. A client that moves fewer is as good as silent, and
    /// would otherwise hold a connection for ever.
    pub stall_bytes_min: u64,
    /// Longest wait for a request on an open connection; also how long an idle connection is kept.
    /// Python pools connections and trips over servers that close theirs early, so it is above a
    /// minute.
    pub idle_connection_max: Duration,
    /// Longest wait for the first request on a connection.
    pub head_max: Duration,
    /// Like [`Limits::head_max`] and [`Limits::idle_connection_max`], while less than half of the
    /// connections is free.
    pub pressed_head_max: Duration,
    /// Longest request head in bytes. Each connection may keep as much in memory.
    pub head_bytes_max: usize,
    /// Most connections at once. To admit another one, the connection that has waited longest for
    /// its first request is closed, else the one that has been idle longest; if there is neither,
    /// the new one waits in the kernel's queue.
    pub connections_max: usize,
    /// Most connections at once from one address; a /64 network of IPv6 counts as one address.
    /// To admit another one, an idle connection of the address is closed; if there is none, the new
    /// one is refused with 503. Loopback addresses and
    /// [trusted proxies](crate::RegistryConfig::trusted_proxies) are not limited, because all
    /// clients behind them share one address.
    pub address_connections_max: usize,
    /// The time that open requests may take after a shutdown began.
    pub shutdown_grace_max: Duration,
    /// Bytes of a refused request's body that are read and thrown away, so that the client sees the
    /// refusal and not a reset connection.
    pub refused_body_drain_bytes_max: u64,
    /// The length of each part of a large LFS upload, but for the last.
    pub lfs_part_bytes: u64,
    /// The time for which an address for an LFS upload is good.
    pub lfs_ticket_lifetime: Duration,
    /// Most objects in one LFS batch request.
    pub lfs_batch_max: usize,
    /// Most LFS uploads to an owner's repositories that were announced and have not arrived.
    pub lfs_open_uploads_max: usize,
    /// The time that an object that arrived over LFS waits for a commit that names it.
    pub lfs_object_lifetime: Duration,
    /// The rate at which one token may ask; `None` for no bound. Each process on a registry counts
    /// for itself.
    pub token_rate: Option<RateLimit>,
    /// The rate at which one address may ask without a valid token; `None` for no bound. A network
    /// of 64 bits of IPv6 is one address. Loopback is never counted: behind a proxy on the same
    /// machine everybody would be one, unless the proxy is
    /// [trusted](crate::RegistryConfig::trusted_proxies).
    pub address_rate: Option<RateLimit>,
    /// Most tokens and addresses that are counted at once, about 100 bytes each; beyond them those
    /// who asked least are forgotten.
    pub rate_subjects_max: usize,
    /// Most bytes of files that an owner may keep or announce, each version counted once per
    /// repository; `None` for no limit. An owner's own quota takes precedence. Contents that no
    /// commit refers to, mostly of deleted repositories, may take as much again until they are
    /// collected.
    pub owner_bytes_max: Option<u64>,
}

/// A rate of requests: so many a minute, and so many at once after a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests a minute in the long run.
    pub per_minute: u32,
    /// Requests at once by somebody who has not asked for a while.
    pub burst: u32,
}

impl Limits {
    /// The limits a registry runs with unless its operator says otherwise.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            json_bytes_max: 32 << 20,
            plain_body_bytes_max: 256 << 10,
            anonymous_body_bytes_max: 64 << 10,
            buffered_bytes_max: 48 << 20,
            answer_bytes_max: 24 << 20,
            long_lists_max: 3,
            listings_max: 4,
            buffer_wait_max: Duration::from_secs(5),
            commit_bytes_max: 16 << 30,
            file_bytes_max: 8 << 30,
            commit_operations_max: 25_000,
            commit_line_bytes_max: 64 << 10,
            commit_message_bytes_max: 64 << 10,
            spool_memory_bytes_max: 256 << 10,
            content_writes_in_flight_max: 8,
            tree_page_max: 1_000,
            tree_expanded_page_max: 100,
            paths_max: 10_000,
            path_levels_max: 200_000,
            history_page_max: 1_000,
            search_page_max: 1_000,
            card_bytes_max: 64 << 10,
            manifest_bytes_max: 1 << 20,
            tool_versions_page_max: 50,
            former_names_max: 16,
            moved_versions_max: 1_000,
            commit_yank_records_max: 1_000,
            body_stall_max: Duration::from_secs(60),
            pressed_stall_max: Duration::from_secs(10),
            answer_stall_max: Duration::from_secs(60),
            stall_bytes_min: 16 << 10,
            idle_connection_max: Duration::from_secs(75),
            head_max: Duration::from_secs(30),
            pressed_head_max: Duration::from_secs(5),
            head_bytes_max: 16 << 10,
            connections_max: 2_048,
            address_connections_max: 512,
            shutdown_grace_max: Duration::from_secs(20),
            refused_body_drain_bytes_max: 16 << 20,
            lfs_part_bytes: 64 << 20,
            lfs_ticket_lifetime: Duration::from_secs(12 * 60 * 60),
            lfs_batch_max: 1_000,
            lfs_open_uploads_max: 50_000,
            lfs_object_lifetime: Duration::from_secs(7 * 24 * 60 * 60),
            token_rate: Some(RateLimit {
                per_minute: 30_000,
                burst: 30_000,
            }),
            address_rate: Some(RateLimit {
                per_minute: 6_000,
                burst: 6_000,
            }),
            rate_subjects_max: 65_536,
            owner_bytes_max: None,
        }
    }
}
