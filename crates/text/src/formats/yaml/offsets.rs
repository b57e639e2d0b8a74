use agpm_diag::Span;

/// Byte offsets of characters: the parser counts characters.
pub(crate) struct CharacterOffsets<'t> {
    text: &'t str,
    base: usize,
    /// The offset of every `STEP`th character; empty if all are ASCII.
    landmarks: Vec<u32>,
    /// The last requested character and its offset: the next one is mostly near.
    last: (usize, usize),
}

impl<'t> CharacterOffsets<'t> {
    const STEP: usize = 64;

    pub(crate) fn new(text: &'t str, base: usize) -> Self {
        let mut landmarks = Vec::new();
        if !text[base..].is_ascii() {
            let starts = text[base..].char_indices().step_by(Self::STEP);
            landmarks.extend(starts.map(|(at, _)| Span::at(base + at).start));
        }
        CharacterOffsets {
            text,
            base,
            landmarks,
            last: (0, base),
        }
    }

    pub(crate) fn byte(&mut self, index: usize) -> usize {
        if self.landmarks.is_empty() {
            return (self.base + index).min(self.text.len());
        }
        let Some(landmark) = self.landmarks.get(index / Self::STEP) else {
            return self.text.len();
        };
        let (mut character, mut at) = self.last;
        if character > index || character + Self::STEP < index {
            (character, at) = (index - index % Self::STEP, *landmark as usize);
        }
        let bytes = self.text.as_bytes();
        while character < index && at < bytes.len() {
            at += width(bytes[at]);
            character += 1;
        }
        self.last = (character, at);
        at
    }
}

/// The length of the character that starts with this byte.
fn width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}
