//! Checks whether the alternatives of a schema exclude each other.

use super::{Form, Member, Node, Presence, Rest};

/// True if no value is valid for two of `nodes`: "any of" and "one of" mean the same then.
pub(crate) fn are_disjoint(nodes: &[Node<'_>]) -> bool {
    let mut rest = nodes;
    while let [first, others @ ..] = rest {
        if !others.iter().all(|other| is_disjoint(first, other)) {
            return false;
        }
        rest = others;
    }
    true
}

fn is_disjoint(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.form, &other.form) {
        (Form::Object(a, rest_a), Form::Object(b, rest_b)) => {
            let lacks = |members: &[Member<'_>], others: &[Member<'_>], rest: &Rest<'_>| {
                matches!(rest, Rest::Closed)
                    && members.iter().any(|member| {
                        member.presence == Presence::Required
                            && others.iter().all(|other| other.name != member.name)
                    })
            };
            let tagged = a.iter().any(|member| {
                let same = b.iter().find(|other| other.name == member.name);
                same.is_some_and(|other| {
                    member.presence == Presence::Required
                        && other.presence == Presence::Required
                        && is_disjoint(&member.node, &other.node)
                })
            });
            tagged || lacks(a, b, rest_b) || lacks(b, a, rest_a)
        }
        (Form::Literals(a), Form::Literals(b)) => a.iter().all(|value| !b.contains(value)),
        (a, b) => match (kind(a), kind(b)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        },
    }
}

fn kind(form: &Form<'_>) -> Option<&'static str> {
    match form {
        Form::Null => Some("null"),
        Form::Boolean => Some("boolean"),
        Form::Integer | Form::Number => Some("number"),
        Form::Text => Some("string"),
        Form::Array(_) | Form::Tuple(..) => Some("array"),
        Form::Object(..) => Some("object"),
        _ => None,
    }
}
