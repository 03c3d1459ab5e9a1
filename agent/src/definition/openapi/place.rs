//! The places of a request that the arguments of a function go to.

/// An argument of a function, and its place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiArgument {
    /// The argument's name.
    pub name: String,
    /// The API's name for it.
    pub wire: String,
    /// The place.
    pub place: ApiPlace,
    /// True if the request needs it, so that an argument that is null is sent as null.
    pub required: bool,
}

/// A place in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiPlace {
    /// A part of the path.
    Path(ApiStyle),
    /// The query.
    Query(ApiStyle),
    /// A header.
    Header(ApiStyle),
    /// A cookie.
    Cookie(ApiStyle),
    /// A member of the body, which is an object.
    Member,
    /// A member of a form, which is written in this style.
    Field(ApiStyle),
    /// The body as a whole.
    Body,
}

/// The form in which a parameter is written, as OpenAPI names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiStyle {
    /// `a,b` in a path or a header.
    Simple,
    /// `k=v,l=w` for the members of an object.
    SimpleExploded,
    /// `name=a,b`.
    Form,
    /// `name=a&name=b`.
    FormExploded,
    /// `name=a b`.
    SpaceDelimited,
    /// `name=a|b`.
    PipeDelimited,
    /// `name[member]=a`.
    DeepObject,
    /// `.a.b` in a path.
    Label,
    /// `.k=v` in a path.
    LabelExploded,
    /// `;name=a,b` in a path.
    Matrix,
    /// `;name=a;name=b` in a path.
    MatrixExploded,
    /// JSON text.
    Json,
}

impl ApiStyle {
    /// The style that `style` and `explode` name, or nothing for one that OpenAPI does not have.
    pub(super) fn of(style: &str, explode: bool) -> Option<Self> {
        Some(match (style, explode) {
            ("simple", false) => Self::Simple,
            ("simple", true) => Self::SimpleExploded,
            ("form", false) => Self::Form,
            ("form", true) => Self::FormExploded,
            ("spaceDelimited", _) => Self::SpaceDelimited,
            ("pipeDelimited", _) => Self::PipeDelimited,
            ("deepObject", _) => Self::DeepObject,
            ("label", false) => Self::Label,
            ("label", true) => Self::LabelExploded,
            ("matrix", false) => Self::Matrix,
            ("matrix", true) => Self::MatrixExploded,
            _ => return None,
        })
    }
}
