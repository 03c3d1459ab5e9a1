//! Formats tables for people; to fit the terminal, the widest columns that may be cut give way.

use std::io::IsTerminal as _;

use dialoguer::console::Term;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::terminal::escape::escape_line;

/// The spaces between two columns.
const GAP: usize = 2;
/// No column is cut to less.
const CUT_WIDTH_MIN: usize = 12;

/// A column: its heading, and whether what is in it may be cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) cut: Cut,
}

/// The cases in which a cell is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    Never,
    WhereNeeded,
}

/// The characters that fit on a line of standard output; `None` if that is no terminal, since a
/// program that reads it wants whole lines.
pub(crate) fn width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (_, columns) = Term::stdout().size_checked()?;
    Some(columns.into())
}

/// A table with columns as wide as their widest cell.
pub(crate) fn table<const N: usize>(heading: [&'static str; N], rows: Vec<[String; N]>) -> String {
    let columns = heading.map(|heading| Column {
        heading,
        cut: Cut::Never,
    });
    fitted(&columns, rows.into_iter().map(Vec::from).collect(), None)
}

/// A table of at most `width`, where its columns allow it. Cells are escaped, and what is cut
/// ends with `…`.
pub(crate) fn fitted(columns: &[Column], rows: Vec<Vec<String>>, width: Option<usize>) -> String {
    let headings = columns.iter().map(|column| column.heading.to_owned());
    let mut lines: Vec<Vec<String>> = vec![headings.collect()];
    let escaped = |row: Vec<String>| row.iter().map(|cell| escape_line(cell)).collect();
    lines.extend(rows.into_iter().map(escaped));
    let widths = widths(columns, &lines, width);
    let mut text = String::new();
    for line in &lines {
        let mut shown = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            let cell = cut(cell, *width);
            shown.push_str(&cell);
            shown.push_str(&" ".repeat(width - cell.width() + GAP));
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

/// The width of each column, once the widest that may be cut have given way.
fn widths(columns: &[Column], lines: &[Vec<String>], bound: Option<usize>) -> Vec<usize> {
    let widest = |index: usize| lines.iter().map(|line| line[index].width()).max();
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|index| widest(index).unwrap_or_default())
        .collect();
    let Some(bound) = bound else {
        return widths;
    };
    let gaps = GAP * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > bound {
        let may_give_way = (0..columns.len())
            .filter(|index| columns[*index].cut == Cut::WhereNeeded)
            .filter(|index| widths[*index] > CUT_WIDTH_MIN);
        let Some(widest) = may_give_way.max_by_key(|index| widths[*index]) else {
            break;
        };
        widths[widest] -= 1;
    }
    widths
}

/// The beginning of `text` that is at most `width` wide, the sign of the cut included.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(c);
    }
    let mut shown = shown.trim_end().to_owned();
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 2] = [
        Column {
            heading: "NAME",
            cut: Cut::Never,
        },
        Column {
            heading: "SAYS",
            cut: Cut::WhereNeeded,
        },
    ];

    #[track_caller]
    fn check(width: Option<usize>, says: &str, expect: &str) {
        let rows = vec![vec!["ada/adder".to_owned(), says.to_owned()]];
        let shown = fitted(&COLUMNS, rows, width);
        let row = shown.lines().nth(1).unwrap();
        assert_eq!(row, format!("ada/adder  {expect}"));
        if let Some(width) = width.filter(|width| *width > 22) {
            assert!(shown.lines().all(|line| line.width() <= width), "{shown}");
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![
            ["a".to_owned(), "x".to_owned()],
            ["漢字".to_owned(), "\u{1b}".to_owned()],
        ];
        assert_eq!(table(["N", "M"], rows), "N     M\na     x\n漢字  \\u{1b}\n");
    }

    #[test]
    fn what_is_too_wide_is_cut() {
        check(None, "Adds two numbers.", "Adds two numbers.");
        check(Some(28), "Adds two numbers.", "Adds two numbers.");
        check(Some(27), "Adds two numbers.", "Adds two number…");
        check(Some(27), "Adds two        numbers", "Adds two…");
        check(Some(27), "漢字漢字漢字漢字漢字", "漢字漢字漢字漢…");
        check(Some(27), "\u{1b}[2J", "\\u{1b}[2J");
        check(Some(1), "Adds two numbers.", "Adds two nu…");
    }

    #[test]
    fn the_widest_gives_way_first() {
        let columns = [COLUMNS[1], COLUMNS[1]];
        let rows = vec![vec!["a".repeat(20), "b".repeat(60)]];
        let shown = fitted(&columns, rows, Some(62));
        let expect = format!("{}  {}…", "a".repeat(20), "b".repeat(39));
        assert_eq!(shown.lines().nth(1).unwrap(), expect);
    }
}
