//! The `Mistake` type: a row of the table of authors' mistakes.

/// A mistake, and what the build has to say about it.
pub(super) struct Mistake {
    pub(super) name: &'static str,
    /// The project that it is made in.
    pub(super) project: &'static str,
    /// A file of the project, a text in it and the text in its place. Without a text the file is
    /// new.
    pub(super) edits: &'static [(&'static str, &'static str, &'static str)],
    /// The file and the line.
    pub(super) place: &'static str,
    /// Words of the error or its cause.
    pub(super) error: &'static str,
    /// Words of the cure: of the hint, or of the error where that says it.
    pub(super) cure: &'static str,
}
