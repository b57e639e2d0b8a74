//! Limits for parsed, edited and printed text, with their reasons.

/// The size at which a parser gives up with a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a source: its tree needs several times as much memory.
    pub bytes: usize,
    /// Levels of nesting: trees are printed and compared recursively.
    pub depth: usize,
    /// Nodes that aliases may expand to in total: a few lines of YAML can expand to billions.
    pub expansion: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 1 << 30,
            depth: 256,
            expansion: 1_000_000,
        }
    }
}

/// Reported findings per file: after so many mistakes the others do not help.
pub(crate) const MOST_FINDINGS: usize = 25;

/// Bytes of text that is parsed again after an edit and compared with the intended value. Configuration of tools is far
/// smaller; above, parsing twice would cost more time and memory than the merge itself.
pub(crate) const LARGEST_CHECKED: usize = 4 << 20;

/// Digits of a hexadecimal or octal number in YAML that is converted: the time grows with their square.
pub(crate) const MOST_DIGITS: usize = 1_000;

/// Columns of an indentation in YAML that new lines imitate: wider ones are decoration.
pub(crate) const WIDEST_INDENT: usize = 8;

/// Bytes of a YAML key that is written without `?`: parsers search only so far for the `:` after it.
pub(crate) const LONGEST_KEY: usize = 1_000;

/// Tokens of TOML in memory at once: those of a whole file take many times its size.
pub(crate) const MOST_TOKENS: usize = 8_192;

/// Keys of an object among which misspelled ones are searched: each search visits all of them.
pub(crate) const MOST_SEARCHED: usize = 1_000;

/// The longest text that is searched for other occurrences of a misspelled key.
pub(crate) const LONGEST_SEARCHED: usize = 64 << 10;
