//! Lists in pages. A cursor is opaque to clients. It contains the last item, so a list may change between pages.

use std::borrow::Cow;

use rmcp::ErrorData;

use crate::protocol::error::CURSOR;

/// The number of items of a page.
pub(crate) const PAGE: usize = 100;

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListPage<'a, T> {
    pub(crate) items: &'a [T],
    /// The cursor of the next page; nothing if this is the last.
    pub(crate) next: Option<String>,
}

/// A list, and the part of it that is requested.
#[derive(Clone, Copy)]
pub(crate) struct PageRequest<'a> {
    /// The name of the list. A cursor of another list is refused.
    pub(crate) list: &'a str,
    pub(crate) cursor: Option<&'a str>,
    pub(crate) size: usize,
}

/// The requested page; `key` identifies items.
pub(crate) fn page<'a, T>(
    items: &'a [T],
    asked: PageRequest<'_>,
    key: impl Fn(&T) -> Cow<'_, str>,
) -> Result<ListPage<'a, T>, ErrorData> {
    let start = match asked.cursor {
        None => 0,
        Some(cursor) => {
            let (count, last) = decode(asked.list, cursor).ok_or_else(bad_cursor)?;
            let is_last = |at: usize| items.get(at).is_some_and(|item| key(item) == last);
            match count.checked_sub(1) {
                // The position is right as long as nothing was added or removed before it. Otherwise the last item
                // is searched for, so none is skipped or repeated.
                Some(at) if is_last(at) => count,
                _ => items
                    .iter()
                    .position(|item| key(item) == last)
                    .map_or(count, |at| at + 1),
            }
        }
    };
    let start = start.min(items.len());
    let end = start.saturating_add(asked.size).min(items.len());
    // A page without items has no next one: with a size of zero a client would otherwise continue for ever.
    let more = end < items.len() && end > start;
    let next = more.then(|| encode(asked.list, end, &key(&items[end - 1])));
    Ok(ListPage {
        items: &items[start..end],
        next,
    })
}

fn bad_cursor() -> ErrorData {
    CURSOR.with_help("unknown cursor", "start without a cursor")
}

fn encode(list: &str, count: usize, last: &str) -> String {
    let text = format!("{list}:{count}:{last}");
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn decode(list: &str, cursor: &str) -> Option<(usize, String)> {
    let digit = |digit: u8| (digit as char).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = cursor
        .as_bytes()
        .chunks(2)
        .map(byte)
        .collect::<Option<_>>()?;
    let text = String::from_utf8(bytes).ok()?;
    let (count, last) = text
        .strip_prefix(list)?
        .strip_prefix(':')?
        .split_once(':')?;
    Some((count.parse().ok()?, last.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("n{at}")).collect()
    }

    fn ask<'a>(
        items: &'a [String],
        cursor: Option<&str>,
    ) -> Result<ListPage<'a, String>, ErrorData> {
        page(
            items,
            PageRequest {
                list: "l",
                cursor,
                size: 2,
            },
            |name| Cow::from(name.as_str()),
        )
    }

    #[test]
    fn pages_follow_each_other() {
        let items = names(5);
        let first = ask(&items, None).unwrap();
        let second = ask(&items, first.next.as_deref()).unwrap();
        let third = ask(&items, second.next.as_deref()).unwrap();
        assert_eq!([first.items, second.items, third.items].concat(), items);
        assert_eq!(third.next, None);
        assert_eq!(ask(&[], None).unwrap().next, None);
        assert_eq!(
            ask(&items[..2], None).unwrap().next,
            None,
            "a full last page is the last"
        );
    }

    #[test]
    fn a_list_may_change_between_pages() {
        let items = names(5);
        let cursor = ask(&items, None).unwrap().next;
        let without_first = &items[1..];
        assert_eq!(
            ask(without_first, cursor.as_deref()).unwrap().items,
            ["n2", "n3"]
        );
        let without_last = [items[0].clone(), items[2].clone(), items[3].clone()];
        assert_eq!(ask(&without_last, cursor.as_deref()).unwrap().items, ["n3"]);
        assert_eq!(
            ask(&items[..1], cursor.as_deref()).unwrap().items,
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_bad_cursor_is_refused() {
        let items = names(5);
        let other = encode("m", 2, "n1");
        for cursor in [
            "",
            "x",
            "zz",
            "6c3a",
            "ff",
            "éé",
            &other,
            &encode("l", 2, "n1")[1..],
        ] {
            let error = ask(&items, Some(cursor)).unwrap_err();
            assert_eq!(error.data.unwrap()["code"], "mcp/cursor", "{cursor}");
        }
    }
}
