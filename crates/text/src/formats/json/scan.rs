//! Scans eight bytes at a time: most of a file is indentation and plain text.

const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES * 128;

/// The first quote, backslash or control character.
pub(crate) fn special_byte(bytes: &[u8]) -> Option<usize> {
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quotes = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let slashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let found = quotes | slashes | controls;
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let special = |b: &u8| matches!(*b, b'"' | b'\\' | 0..0x20);
    rest.iter().position(special).map(|at| words.len() * 8 + at)
}

/// The number of leading spaces.
pub(crate) fn leading_spaces(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let non_spaces = u64::from_le_bytes(*word) ^ (ONES * u64::from(b' '));
        if non_spaces != 0 {
            return index * 8 + non_spaces.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8 + rest.iter().take_while(|b| **b == b' ').count()
}
