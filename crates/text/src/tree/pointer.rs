use std::fmt;
use std::str::FromStr;

/// A JSON pointer (RFC 6901).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(Vec<String>);

/// The reason why text is not a pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// The text is neither empty nor starts with a slash.
    #[error("a JSON Pointer starts with `/`, as in `/servers/0/name`")]
    NoSlash,
    /// An invalid `~`.
    #[error("in a JSON Pointer `~` is written `~0` and a `/` inside a key is written `~1`")]
    Tilde,
}

impl Pointer {
    /// The pointer to the whole document.
    pub fn root() -> Self {
        Pointer(Vec::new())
    }

    /// The steps, with escapes resolved.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// The pointer to a child.
    #[must_use]
    pub fn child(&self, step: impl Into<String>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Pointer(steps)
    }

    /// The parent pointer and the last step; `None` at the root.
    pub fn split_last(&self) -> Option<(Pointer, &str)> {
        let (last, rest) = self.0.split_last()?;
        Some((Pointer(rest.to_vec()), last))
    }

    /// Appends a step; undone by [`Pointer::pop`].
    pub fn push(&mut self, step: impl Into<String>) {
        self.0.push(step.into());
    }

    /// Removes the last step.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Whether this pointer is `other` or under it.
    pub fn is_within(&self, other: &Pointer) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl FromIterator<String> for Pointer {
    fn from_iter<I: IntoIterator<Item = String>>(steps: I) -> Self {
        Pointer(steps.into_iter().collect())
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let steps = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        steps
            .split('/')
            .map(unescape)
            .collect::<Result<_, _>>()
            .map(Pointer)
    }
}

fn unescape(step: &str) -> Result<String, PointerError> {
    let mut out = String::with_capacity(step.len());
    let mut chars = step.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(PointerError::Tilde),
            },
            c => c,
        });
    }
    Ok(out)
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| {
            f.write_str("/")?;
            write_escaped(step, f)
        })
    }
}

fn write_escaped(step: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut rest = step;
    while let Some(at) = rest.find(['~', '/']) {
        f.write_str(&rest[..at])?;
        f.write_str(if rest[at..].starts_with('~') {
            "~0"
        } else {
            "~1"
        })?;
        rest = &rest[at + 1..];
    }
    f.write_str(rest)
}

/// A pointer step as a list index: digits without a leading zero.
pub(crate) fn list_index(step: &str) -> Option<usize> {
    let canonical = step == "0" || !step.starts_with('0');
    (canonical && step.bytes().all(|b| b.is_ascii_digit())).then(|| step.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_read_back_as_written() {
        for text in ["", "/", "/a/0", "/a~1b/~0", "//x", "/~0~1~01é~1"] {
            assert_eq!(
                text.parse::<Pointer>().map(|p| p.to_string()),
                Ok(text.to_owned())
            );
        }
        assert_eq!("a".parse::<Pointer>(), Err(PointerError::NoSlash));
        assert_eq!("/a~2".parse::<Pointer>(), Err(PointerError::Tilde));
    }
}
