//! Compiles the JSON Schemas of arrays, objects and arbitrary values to grammars.

use super::*;

/// The name of the rule of any value.
const ANY: &str = "json";

impl<'a> Compiler<'_, 'a> {
    pub(super) fn array(
        &mut self,
        node: &Node<'a>,
        item: &Node<'a>,
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        let known = ["items", "minItems", "maxItems", "uniqueItems"];
        self.weakened(node, &[&known, &OF_NUMBERS, &OF_TEXTS, &OF_OBJECTS])?;
        let is_set = node.keyword("uniqueItems") == Some(&Value::Bool(true));
        let are_bounded = ["minItems", "maxItems"].map(|keyword| node.keyword(keyword).is_some());
        if is_set
            && let Form::Literals(values) = &item.form
            && are_bounded == [false, false]
        {
            return self.set(item, values, name);
        }
        if is_set {
            self.report_loss(node, "uniqueItems");
        }
        let (min, max) = self.counts(node, ["minItems", "maxItems"])?;
        let items = match max {
            Some(0) => None,
            _ => {
                let item = self.node(item, name)?;
                Some(self.list(item, min, max))
            }
        };
        Ok(self.wrapped("[", items, "]", name))
    }

    /// Each of `values` at most once, in their order.
    fn set(
        &mut self,
        item: &Node<'a>,
        values: &[&'a Value],
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        self.weakened(item, &[])?;
        let fitting = values.iter().filter(|value| is_of_type(item, value));
        let items = fitting.map(|value| (Presence::Optional, Expression::text(value.to_string())));
        let items = self.row(items.collect(), name);
        Ok(self.wrapped("[", items, "]", name))
    }

    pub(super) fn tuple(
        &mut self,
        node: &Node<'a>,
        items: &[Node<'a>],
        rest: Option<&Node<'a>>,
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        let known = ["items", "prefixItems", "minItems", "maxItems"];
        self.weakened(node, &[&known, &OF_NUMBERS, &OF_TEXTS, &OF_OBJECTS])?;
        let length = items.len() as u64;
        let is_exact = ["minItems", "maxItems"].map(|keyword| {
            let count = node.keyword(keyword).and_then(Value::as_u64);
            count == Some(length)
        });
        // The grammar takes exactly these items. It is a loss if the schema allows more or fewer.
        if is_exact != [true, true] || rest.is_some() {
            self.narrow(node, "prefixItems");
        }
        let min = node.keyword("minItems").and_then(Value::as_u64);
        let max = node.keyword("maxItems").and_then(Value::as_u64);
        if min.is_some_and(|min| min > length) || max.is_some_and(|max| max < length) {
            return Err(ConstraintError::Unsupported {
                pointer: node.pointer.clone(),
                keyword: "prefixItems".to_owned(),
            });
        }
        let items = items
            .iter()
            .map(|item| Ok((Presence::Required, self.node(item, name)?)));
        let items: Vec<_> = items.collect::<Result<_, _>>()?;
        let items = self.row(items, name);
        Ok(self.wrapped("[", items, "]", name))
    }

    pub(super) fn object(
        &mut self,
        node: &Node<'a>,
        members: &[Member<'a>],
        rest: &Rest<'a>,
        name: &str,
    ) -> Result<Expression, ConstraintError> {
        let known = ["properties", "required", "additionalProperties"];
        self.weakened(node, &[&known, &OF_NUMBERS, &OF_TEXTS, &OF_ARRAYS])?;
        let required = node.keyword("required").and_then(Value::as_array);
        let mut required = required.into_iter().flatten();
        if required.any(|name| members.iter().all(|member| name != member.name)) {
            return Err(ConstraintError::Unsupported {
                pointer: node.pointer.clone(),
                keyword: "required".to_owned(),
            });
        }
        let inner = match (members, rest) {
            ([], Rest::Closed) => None,
            ([], Rest::Typed(value)) => {
                let value = self.node(value, name)?;
                Some(self.map(value))
            }
            ([], Rest::Open | Rest::Unsaid) => {
                let value = self.anything();
                Some(self.map(value))
            }
            (members, rest) => {
                if !matches!(rest, Rest::Closed | Rest::Unsaid) {
                    self.narrow(node, "additionalProperties");
                }
                let pairs = members.iter().map(|member| {
                    let value = match member.presence {
                        Presence::Required => Some(self.node(&member.node, member.name)?),
                        Presence::Optional => self.optional_member(&member.node, member.name)?,
                    };
                    let key = Expression::text(Value::from(member.name).to_string());
                    let pair = |value| Expression::Sequence(vec![key, self.colon(), value]);
                    Ok(value.map(|value| (member.presence, pair(value))))
                });
                let pairs: Vec<Option<_>> = pairs.collect::<Result<_, _>>()?;
                self.row(pairs.into_iter().flatten().collect(), name)
            }
        };
        Ok(self.wrapped("{", inner, "}", name))
    }

    /// Any value. Apart from definitions, this is the only recursive rule.
    pub(super) fn anything(&mut self) -> Expression {
        if let Some(known) = self.anything {
            return Expression::Rule(known);
        }
        let rule = self.grammar.reserve(ANY);
        self.anything = Some(rule);
        let any = Expression::Rule(rule);
        let list = self.list(any.clone(), 0, None);
        let map = self.map(any.clone());
        let words = ["true", "false", "null"].map(Expression::text);
        let simple = self
            .grammar
            .word("simple", Expression::Choice(words.into()));
        let choices = vec![
            self.wrapped("{", Some(map), "}", "object"),
            self.wrapped("[", Some(list), "]", "array"),
            self.any_text(),
            self.grammar.word("number", numbers::number(true)),
            simple,
        ];
        self.grammar.fill(rule, Expression::Choice(choices));
        any
    }

    fn any_text(&mut self) -> Expression {
        let character = self.character();
        let text = strings::string(character, 0, None);
        self.grammar.word("string", text)
    }

    fn comma(&mut self) -> Expression {
        let space = Expression::text(" ").optional();
        let comma = Expression::Sequence(vec![Expression::text(","), space]);
        self.grammar.word("comma", comma)
    }

    fn colon(&mut self) -> Expression {
        let space = Expression::text(" ").optional();
        let colon = Expression::Sequence(vec![Expression::text(":"), space]);
        self.grammar.word("colon", colon)
    }

    fn map(&mut self, value: Expression) -> Expression {
        let key = self.any_text();
        let pair = Expression::Sequence(vec![key, self.colon(), value]);
        self.list(pair, 0, None)
    }

    /// Items with commas between them.
    fn list(&mut self, item: Expression, min: u32, max: Option<u32>) -> Expression {
        let further = Expression::Sequence(vec![self.comma(), item.clone()]);
        let max_further = max.map(|max| max.saturating_sub(1));
        let list = match max_further {
            Some(0) => item,
            max => {
                let further = further.times(min.saturating_sub(1), max);
                Expression::Sequence(vec![item, further])
            }
        };
        match min {
            0 => list.optional(),
            _ => list,
        }
    }

    /// Parts in their order with commas between those that are there. None where there is
    /// nothing to write.
    fn row(&mut self, parts: Vec<(Presence, Expression)>, name: &str) -> Option<Expression> {
        let comma = self.comma();
        let after = |part: Expression| Expression::Sequence(vec![comma.clone(), part]);
        let is_required = |(presence, _): &(Presence, _)| *presence == Presence::Required;
        let Some(first) = parts.iter().position(is_required) else {
            return self.optional_row(parts, name);
        };
        let mut row = Vec::new();
        for (index, (presence, part)) in parts.into_iter().enumerate() {
            row.push(match presence {
                // The first required member needs no comma, because those before it bring theirs.
                _ if index < first => Expression::Sequence(vec![part, comma.clone()]).optional(),
                _ if index == first => part,
                Presence::Required => after(part),
                Presence::Optional => after(part).optional(),
            });
        }
        Some(Expression::Sequence(row))
    }

    /// A list of optional parts, any of which may be the first.
    fn optional_row(
        &mut self,
        parts: Vec<(Presence, Expression)>,
        name: &str,
    ) -> Option<Expression> {
        let comma = self.comma();
        let mut choices = Vec::new();
        let mut tail: Option<Expression> = None;
        for (_, part) in parts.into_iter().rev() {
            let mut choice = vec![part.clone()];
            choice.extend(tail.clone());
            choices.push(Expression::Sequence(choice));
            let mut further = vec![Expression::Sequence(vec![comma.clone(), part]).optional()];
            further.extend(tail);
            tail = Some(
                self.grammar
                    .phrase(&format!("{name}_rest"), Expression::Sequence(further)),
            );
        }
        choices.reverse();
        (!choices.is_empty()).then(|| Expression::any_of(choices).optional())
    }

    fn wrapped(
        &mut self,
        open: &str,
        inner: Option<Expression>,
        close: &str,
        name: &str,
    ) -> Expression {
        let mut parts = vec![Expression::text(open)];
        parts.extend(inner);
        parts.push(Expression::text(close));
        self.grammar.phrase(name, Expression::Sequence(parts))
    }
}
