//! Limits for strings that are read, edited and printed, and the reasons.

/// How much a reader takes before it gives up with a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a source: its tree takes several times as much memory.
    pub bytes: usize,
    /// Levels of nesting: trees are printed and compared by recursion.
    pub depth: usize,
    /// Nodes that aliases may represent, all in all: a few lines of YAML can represent billions.
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

/// Findings that are reported of one file: one that is wrong all over is not worth reading further.
pub(crate) const MOST_FINDINGS: usize = 25;

/// Bytes of text that is read again after an edit and compared with what was meant. Tools' configuration is far
/// smaller; above, reading twice would cost more time and memory than the merge itself.
pub(crate) const LARGEST_CHECKED: usize = 4 << 20;

/// Digits of a hexadecimal or octal number in YAML that is converted: the time grows with their square.
pub(crate) const MOST_DIGITS: usize = 1_000;

/// Columns of an indent in YAML that new lines imitate: wider ones are for looks.
pub(crate) const WIDEST_INDENT: usize = 8;

/// Bytes of a key in YAML that is written without `?`: readers look only so far for the `:` after it.
pub(crate) const LONGEST_KEY: usize = 1_000;

/// Tokens of TOML that are held at once: those of a whole file take many times its size.
pub(crate) const MOST_TOKENS: usize = 8_192;

/// Keys of an object in which misspelled ones are looked up: each of them costs a walk over all.
pub(crate) const MOST_SEARCHED: usize = 1_000;

/// The longest text that is searched for other locations of a misspelled key.
pub(crate) const LONGEST_SEARCHED: usize = 64 << 10;
