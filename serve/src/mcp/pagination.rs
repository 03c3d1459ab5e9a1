//! Cursor pagination of MCP lists, and how long clients may keep a page.
//! Pages are long enough for clients that read only the first.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// The time for which a client may keep a list, in milliseconds, if it does not listen for changes.
/// Longer would keep a new tool from it, shorter saves nothing.
pub(super) const FRESH_MS: u64 = 60_000;
/// The same for a list that any call may change: it is asked for each time.
pub(super) const STALE_MS: u64 = 0;
/// The number of items on a page. Many clients read the first page only.
const PAGE_ITEMS_MAX: usize = 1000;

/// The place where a client wants a list to go on.
pub(super) fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// A page, and where the next one goes on, if there is one.
pub(super) type Page<T> = (Vec<T>, Option<String>);

/// The page after `cursor`, the key of the last item of the page before. So it holds across
/// changes of the list, unless they concern that very item.
pub(super) fn page<K: AsRef<str>, T>(
    items: impl IntoIterator<Item = (K, T)>,
    cursor: Option<&str>,
) -> Result<Page<T>, ErrorData> {
    let mut items = items.into_iter();
    if let Some(cursor) = cursor
        && !items.any(|(key, _)| key.as_ref() == cursor)
    {
        let message = "the list has changed since this cursor was given; list from the start";
        return Err(ErrorData::invalid_params(message, None));
    }
    let mut last = None;
    let listed = items.by_ref().take(PAGE_ITEMS_MAX);
    let listed = listed.map(|(key, item)| {
        last = Some(key);
        item
    });
    let listed = listed.collect();
    let next = last.filter(|_| items.next().is_some());
    Ok((listed, next.map(|key| key.as_ref().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_together_are_the_list() {
        for count in [0, 1, PAGE_ITEMS_MAX, PAGE_ITEMS_MAX + 1, 3 * PAGE_ITEMS_MAX] {
            let names: Vec<String> = (0..count).map(|number| number.to_string()).collect();
            let list = || names.iter().map(|name| (name, name.clone()));
            let (mut read, mut next) = page(list(), None).unwrap();
            while let Some(cursor) = next {
                let (more, after) = page(list(), Some(&cursor)).unwrap();
                assert!(!more.is_empty());
                read.extend(more);
                next = after;
            }
            assert_eq!(read, names);
        }
    }

    #[test]
    fn a_cursor_of_something_else_is_refused() {
        let refused = page([("a", &1)], Some("b")).unwrap_err();
        assert!(refused.message.contains("from the start"), "{refused:?}");
    }
}
