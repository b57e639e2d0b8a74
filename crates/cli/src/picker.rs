//! Lets somebody on a terminal choose among many: type to filter, space to select, Enter to confirm.
//!
//! `console` is in the tree already for progress bars; a prompt library would bring five more crates for one list.

use std::collections::BTreeSet;
use std::io;

use agpm_report::one_line;
use agpm_resolve::discover::SearchQuery;
use agpm_resolve::discover::{PickItem, PickState, Picker};
use console::{Key, Term};

use crate::platform::RawMode;
use crate::terminal::asking;

/// The most rows of a list, for a small terminal.
const MOST_ROWS: usize = 15;
/// Lines around the rows: the title with the filter, and the keys.
const OTHER_LINES: usize = 2;
const KEYS: &str = "type to filter, space selects, Enter confirms, Esc cancels";

/// A picker on the terminal of standard error.
pub(crate) struct TerminalPicker;

impl Picker for TerminalPicker {
    fn pick(&self, title: &str, items: &[PickItem]) -> Option<Vec<usize>> {
        let terminal = Term::stderr();
        asking(|| run(&terminal, title, items)).ok().flatten()
    }
}

fn run(terminal: &Term, title: &str, items: &[PickItem]) -> io::Result<Option<Vec<usize>>> {
    let mut choice = PickerState::new(items);
    let _raw = RawMode::enter()?;
    loop {
        let (height, width) = terminal.size();
        let rows = usize::from(height)
            .saturating_sub(OTHER_LINES + 1)
            .clamp(1, MOST_ROWS);
        let lines = choice.lines(title, rows, usize::from(width));
        for line in &lines {
            terminal.write_line(line)?;
        }
        let key = terminal.read_key_raw();
        terminal.clear_last_lines(lines.len())?;
        match choice.press(&key?) {
            PickerStep::More => {}
            PickerStep::Done => return Ok(Some(choice.selected.into_iter().collect())),
            PickerStep::Cancelled => return Ok(None),
        }
    }
}

/// The result of a key press.
#[derive(Debug, PartialEq, Eq)]
enum PickerStep {
    More,
    Done,
    Cancelled,
}

/// A choice in progress.
struct PickerState<'i> {
    items: &'i [PickItem],
    filter: String,
    /// The items that match the filter, best first.
    matching: Vec<usize>,
    cursor: usize,
    selected: BTreeSet<usize>,
}

impl<'i> PickerState<'i> {
    fn new(items: &'i [PickItem]) -> Self {
        PickerState {
            items,
            filter: String::new(),
            matching: (0..items.len()).collect(),
            cursor: 0,
            selected: BTreeSet::new(),
        }
    }

    fn press(&mut self, key: &Key) -> PickerStep {
        match key {
            Key::Enter => return self.confirm(),
            Key::Escape | Key::CtrlC => return PickerStep::Cancelled,
            Key::Char(' ') => self.toggle(),
            Key::ArrowUp => self.cursor = self.cursor.saturating_sub(1),
            Key::ArrowDown => self.cursor = (self.cursor + 1).min(self.last()),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.last(),
            Key::Backspace => {
                self.filter.pop();
                self.refilter();
            }
            Key::Char(c) if !c.is_control() => {
                self.filter.push(*c);
                self.refilter();
            }
            _ => {}
        }
        PickerStep::More
    }

    fn last(&self) -> usize {
        self.matching.len().saturating_sub(1)
    }

    /// Without a selection, Enter selects the row at the cursor.
    fn confirm(&mut self) -> PickerStep {
        if self.selected.is_empty() {
            self.selected.extend(self.matching.get(self.cursor));
        }
        if self.selected.is_empty() {
            PickerStep::More
        } else {
            PickerStep::Done
        }
    }

    fn toggle(&mut self) {
        let Some(at) = self.matching.get(self.cursor) else {
            return;
        };
        if !self.selected.remove(at) {
            self.selected.insert(*at);
        }
    }

    fn refilter(&mut self) {
        let query = SearchQuery::parse(&self.filter);
        let score = |at: &usize| {
            let item = &self.items[*at];
            query.score(&item.id, &item.description)
        };
        let fitting = (0..self.items.len()).filter_map(|at| Some((score(&at)?, at)));
        let mut fitting: Vec<(u32, usize)> = fitting.collect();
        if !query.is_empty() {
            fitting.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        }
        self.matching = fitting.into_iter().map(|(_, at)| at).collect();
        self.cursor = 0;
    }

    fn lines(&self, title: &str, rows: usize, width: usize) -> Vec<String> {
        let first = self.cursor.saturating_sub(rows - 1);
        let mut lines = vec![cut(&format!("{}: {}", one_line(title), self.filter), width)];
        let visible = self.matching.iter().enumerate().skip(first).take(rows);
        lines.extend(visible.map(|(row, at)| cut(&self.row(row, *at), width)));
        let counts = format!("{} of {}", self.matching.len(), self.items.len());
        let selected = match self.selected.len() {
            0 => String::new(),
            count => format!(", {count} selected"),
        };
        lines.push(cut(&format!("{counts}{selected}; {KEYS}"), width));
        lines
    }

    fn row(&self, row: usize, at: usize) -> String {
        let item = &self.items[at];
        let cursor = if row == self.cursor { ">" } else { " " };
        let mark = match (self.selected.contains(&at), item.state) {
            (true, _) => "[x]",
            (false, PickState::New) => "[ ]",
            (false, PickState::Installed) => "[=]",
        };
        let installed = match item.state {
            PickState::Installed => "  (installed)",
            PickState::New => "",
        };
        let (id, about) = (one_line(&item.id), one_line(&item.description));
        format!("{cursor} {mark} {id}{installed}  {about}")
    }
}

/// Cuts a line before the terminal wraps it, because wrapped lines could not be cleared.
fn cut(line: &str, width: usize) -> String {
    let width = width.saturating_sub(1).max(1);
    match line.char_indices().nth(width) {
        Some(_) => {
            let start: String = line.chars().take(width - 1).collect();
            start + "…"
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<PickItem> {
        let item = |id: &str, description: &str, state| PickItem {
            id: id.to_owned(),
            description: description.to_owned(),
            state,
        };
        vec![
            item("skills/art", "Draws", PickState::New),
            item("skills/pdf", "Reads \u{1b}[2J files", PickState::Installed),
            item("agents/reviewer", "Reviews", PickState::New),
        ]
    }

    fn typed(keys: &[Key]) -> (PickerStep, Vec<usize>, Vec<String>) {
        let items = items();
        let mut choice = PickerState::new(&items);
        let mut step = PickerStep::More;
        for key in keys {
            step = choice.press(key);
        }
        let lines = choice.lines("Add", 10, 60);
        (step, choice.selected.into_iter().collect(), lines)
    }

    #[test]
    fn keys_filter_select_and_confirm() {
        let space = || Key::Char(' ');
        let (step, selected, _) =
            typed(&[space(), Key::ArrowDown, Key::ArrowDown, space(), Key::Enter]);
        assert_eq!((step, selected), (PickerStep::Done, vec![0, 2]));
        let (step, selected, lines) = typed(&[Key::Char('r'), Key::Char('e'), Key::Char('v')]);
        assert_eq!((step, selected), (PickerStep::More, vec![]));
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[1].starts_with("> [ ] agents/reviewer"), "{lines:?}");
        let (step, selected, _) = typed(&[Key::Char('p'), Key::Char('d'), Key::Enter]);
        assert_eq!(
            (step, selected),
            (PickerStep::Done, vec![1]),
            "the row under the cursor"
        );
        let (step, ..) = typed(&[Key::Char('z'), Key::Char('z'), Key::Enter]);
        assert_eq!(step, PickerStep::More, "nothing fits");
        let (_, _, lines) = typed(&[Key::Char('z'), Key::Backspace]);
        assert_eq!(lines.len(), 5);
        assert_eq!(typed(&[Key::Escape]).0, PickerStep::Cancelled);
        let (step, selected, _) =
            typed(&[space(), space(), Key::ArrowUp, Key::ArrowDown, Key::Enter]);
        assert_eq!((step, selected), (PickerStep::Done, vec![1]));
    }

    #[test]
    fn lines_are_short_mark_what_is_installed_and_hold_no_escapes() {
        let (_, _, lines) = typed(&[]);
        assert!(
            lines[2].contains("[=] skills/pdf  (installed)"),
            "{lines:?}"
        );
        assert!(
            lines
                .iter()
                .all(|line| line.chars().count() < 60 && !line.contains('\u{1b}'))
        );
    }
}
