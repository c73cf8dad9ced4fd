//! Tables of box-drawing characters, with a heavy head and a light body.

/// A cell of several lines.
pub(super) type Cell = Vec<String>;

/// A table with a centred title.
pub(super) struct Table {
    pub(super) title: String,
    pub(super) head: Vec<Cell>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Cells stand at the right of their columns.
    pub(super) is_right: bool,
}

impl Table {
    /// The lines, without line ends.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.head.len();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).flatten();
            cells.chain(self.head.get(column).into_iter().flatten()).map(|line| line.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let rule = |left: &str, line: &str, between: &str, right: &str| {
            let spans: Vec<String> = widths.iter().map(|width| line.repeat(width + 2)).collect();
            format!("{left}{}{right}", spans.join(between))
        };
        let top = rule("┏", "━", "┳", "┓");
        let mut lines = vec![centred(&self.title, top.chars().count()), top];
        lines.extend(self.row(&self.head, &widths, "┃"));
        lines.push(rule("┡", "━", "╇", "┩"));
        for row in &self.rows {
            lines.extend(self.row(row, &widths, "│"));
        }
        lines.push(rule("└", "─", "┴", "┘"));
        lines
    }

    fn row(&self, cells: &[Cell], widths: &[usize], wall: &str) -> Vec<String> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let line = |at: usize| {
            let parts = cells.iter().zip(widths).map(|(cell, &width)| {
                let text = cell.get(at).map_or("", String::as_str);
                if self.is_right { format!(" {text:>width$} ") } else { format!(" {text:<width$} ") }
            });
            format!("{wall}{}{wall}", parts.collect::<Vec<_>>().join(wall))
        };
        (0..height).map(line).collect()
    }
}

fn centred(text: &str, width: usize) -> String {
    let space = width.saturating_sub(text.chars().count());
    format!("{}{text}{}", " ".repeat(space / 2), " ".repeat(space - space / 2))
}

/// Text in lines of at most `width` characters, broken between words.
pub(super) fn wrapped(text: &str, width: usize) -> Cell {
    let mut lines: Cell = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
