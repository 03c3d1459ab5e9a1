//! Formats tables for people, with columns as wide as their widest cell.

use unicode_width::UnicodeWidthStr as _;

use crate::terminal::escape::escape_line;

/// A table with a heading and columns as wide as their widest cell, the last as it comes.
pub(crate) fn table<const N: usize>(heading: [&str; N], rows: Vec<[String; N]>) -> String {
    let mut lines: Vec<[String; N]> = vec![heading.map(str::to_owned)];
    lines.extend(
        rows.into_iter()
            .map(|row| row.map(|cell| escape_line(&cell))),
    );
    let mut widths = [0; N];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for line in &lines {
        let mut shown = String::new();
        for (width, cell) in widths.iter().zip(line) {
            shown.push_str(cell);
            shown.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![
            ["a".to_owned(), "x".to_owned()],
            ["漢字".to_owned(), "\u{1b}".to_owned()],
        ];
        assert_eq!(table(["N", "M"], rows), "N     M\na     x\n漢字  \\u{1b}\n");
    }
}
