//! Characters that a reader of the text does not see, or sees elsewhere.

/// A kind of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HiddenKind {
    /// They encode text.
    Text,
    /// They change the order in which text is shown.
    Bidi,
    /// They have no width.
    Invisible,
}

/// Characters that were found next to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HiddenRun {
    pub(super) kind: HiddenKind,
    /// The line of the first one, from zero after the start of the reading.
    pub(super) line: usize,
    /// The first one.
    pub(super) first: char,
    pub(super) count: usize,
    /// The text that they encode.
    pub(super) text: String,
}

/// The most characters of hidden text that are kept.
const LONGEST_HIDDEN_TEXT: usize = 80;
/// The number of ordinary variation selectors in a row from which they encode text: no sequence of Unicode has two.
const FEWEST_SELECTORS_OF_TEXT: usize = 4;
const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';

/// Reads characters one by one.
#[derive(Default)]
pub(super) struct HiddenCharacters {
    /// The number of characters before, for the byte order mark.
    seen: usize,
    /// The last character that is neither hidden nor a selector or skin tone.
    base: Option<char>,
    /// Whether the line has had a character that is written from right to left.
    right_to_left: bool,
    /// A character that is fine if the right one follows.
    held: Option<HeldCharacter>,
    tags: Option<CharacterRun>,
    selectors: Option<CharacterRun>,
    found: Vec<HiddenRun>,
}

struct HeldCharacter {
    character: char,
    line: usize,
    base: Option<char>,
}

/// Characters of one kind in a row, and what is before them.
struct CharacterRun {
    base: Option<char>,
    line: usize,
    characters: usize,
    first: char,
    last: char,
    text: String,
}

impl CharacterRun {
    fn new(base: Option<char>, line: usize, first: char) -> Self {
        CharacterRun {
            base,
            line,
            characters: 0,
            first,
            last: first,
            text: String::new(),
        }
    }

    fn add(&mut self, character: char, decoded: Option<char>) {
        self.characters += 1;
        self.last = character;
        if let Some(decoded) = decoded.filter(|_| self.text.len() < LONGEST_HIDDEN_TEXT) {
            self.text.push(decoded);
        }
    }

    fn into_run(self, kind: HiddenKind) -> HiddenRun {
        HiddenRun {
            kind,
            line: self.line,
            first: self.first,
            count: self.characters,
            text: self.text,
        }
    }
}

impl HiddenCharacters {
    /// Reads the next character.
    pub(super) fn read(&mut self, character: char, line: usize) {
        let is_first = self.seen == 0;
        self.seen += 1;
        // The most frequent case by far.
        if character.is_ascii() && self.is_idle() {
            if character == '\n' {
                self.right_to_left = false;
            }
            self.base = Some(character);
            return;
        }
        if matches!(character, '\u{e0000}'..='\u{e007f}') {
            let base = self.base;
            let run = self
                .tags
                .get_or_insert_with(|| CharacterRun::new(base, line, character));
            let decoded = char::from_u32(u32::from(character) - 0xe0000);
            run.add(
                character,
                decoded.filter(|decoded| !decoded.is_ascii_control()),
            );
            return;
        }
        self.end_tags();
        if is_selector(character) {
            let base = self.base;
            let run = self
                .selectors
                .get_or_insert_with(|| CharacterRun::new(base, line, character));
            let decoded = selected_byte(character).map(char::from);
            run.add(
                character,
                decoded.filter(|decoded| decoded.is_ascii_graphic() || *decoded == ' '),
            );
            return;
        }
        self.end_selectors();
        if let Some(held) = self.held.take()
            && !is_fine_before(&held, character)
        {
            self.add_one(HiddenKind::Invisible, held.character, held.line);
        }
        match character {
            '\n' => self.right_to_left = false,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                return self.add_one(HiddenKind::Bidi, character, line);
            }
            '\u{feff}' if is_first => return,
            '\u{200b}'..='\u{200d}' => {
                self.held = Some(HeldCharacter {
                    character,
                    line,
                    base: self.base,
                });
                return;
            }
            // Marks of direction belong to text that is written from right to left.
            '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                if !self.right_to_left {
                    self.held = Some(HeldCharacter {
                        character,
                        line,
                        base: self.base,
                    });
                }
                return;
            }
            '\u{180e}' if self.base.is_some_and(is_joining) => return,
            '\u{115f}' | '\u{1160}' if self.base.is_some_and(is_hangul_part) => return,
            _ if is_invisible(character) => {
                return self.add_one(HiddenKind::Invisible, character, line);
            }
            _ => {}
        }
        if is_right_to_left(character) {
            self.right_to_left = true;
        }
        if !is_skin_tone(character) {
            self.base = Some(character);
        }
    }

    /// What was found so far, in the order of the text.
    pub(super) fn take_found(&mut self) -> Vec<HiddenRun> {
        std::mem::take(&mut self.found)
    }

    /// Ends what is open at the end of the text.
    pub(super) fn finish(&mut self) {
        self.end_tags();
        self.end_selectors();
        if let Some(held) = self.held.take() {
            self.add_one(HiddenKind::Invisible, held.character, held.line);
        }
    }

    fn is_idle(&self) -> bool {
        self.held.is_none() && self.tags.is_none() && self.selectors.is_none()
    }

    fn add_one(&mut self, kind: HiddenKind, character: char, line: usize) {
        self.found.push(HiddenRun {
            kind,
            line,
            first: character,
            count: 1,
            text: String::new(),
        });
    }

    fn end_tags(&mut self) {
        let Some(run) = self.tags.take() else {
            return;
        };
        if !is_flag(&run) {
            self.found.push(run.into_run(HiddenKind::Text));
        }
    }

    fn end_selectors(&mut self) {
        let Some(run) = self.selectors.take() else {
            return;
        };
        let is_supplement = run.first >= '\u{e0100}';
        match run.characters {
            1 if !is_supplement => {}
            // A variant of an ideograph.
            1 if run.base.is_some_and(is_ideograph) => {}
            count if is_supplement || count >= FEWEST_SELECTORS_OF_TEXT => {
                self.found.push(run.into_run(HiddenKind::Text));
            }
            _ => self.found.push(run.into_run(HiddenKind::Invisible)),
        }
    }
}

/// The flag of a subdivision: a region, up to four more letters, and the end.
fn is_flag(run: &CharacterRun) -> bool {
    let length = run.text.len();
    run.base == Some(BLACK_FLAG)
        && run.last == CANCEL_TAG
        && run.characters == length + 1
        && (3..=6).contains(&length)
        && run
            .text
            .bytes()
            .take(2)
            .all(|letter| letter.is_ascii_lowercase())
        && run
            .text
            .bytes()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
}

fn is_fine_before(held: &HeldCharacter, next: char) -> bool {
    let before = held.base;
    match held.character {
        '\u{200d}' => {
            let is_emoji = before.is_some_and(is_pictograph) && is_pictograph(next);
            is_emoji || before.is_some_and(is_joining)
        }
        '\u{200c}' => before.is_some_and(is_joining) && is_joining(next),
        '\u{200b}' => before.is_some_and(is_unspaced) && is_unspaced(next),
        _ => is_right_to_left(next),
    }
}

fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
    )
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The byte that a variation selector represents where they encode text.
fn selected_byte(character: char) -> Option<u8> {
    let code = u32::from(character);
    match character {
        '\u{fe00}'..='\u{fe0f}' => u8::try_from(code - 0xfe00).ok(),
        _ => u8::try_from(code - 0xe0100 + 16).ok(),
    }
}

fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_pictograph(character: char) -> bool {
    matches!(
        character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

/// Scripts whose letters are joined or kept apart by characters without width.
fn is_joining(character: char) -> bool {
    matches!(
        character,
        '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
            | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}'
    )
}

/// Scripts without spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}' | '\u{2e80}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}'
    )
}

fn is_ideograph(character: char) -> bool {
    matches!(
        character,
        '\u{1800}'..='\u{18af}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}'
    )
}

fn is_hangul_part(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

fn is_right_to_left(character: char) -> bool {
    matches!(
        character,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
    )
}

/// A character in words: its code, and what it is.
pub(super) fn described(character: char) -> String {
    let name = match character {
        '\u{e0000}'..='\u{e007f}' => "tag character",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2060}' => "word joiner",
        '\u{ad}' => "soft hyphen",
        '\u{feff}' => "zero-width no-break space",
        _ => "invisible character",
    };
    format!("U+{:04X} ({name})", u32::from(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(HiddenKind, usize)> {
        let mut reader = HiddenCharacters::default();
        for character in text.chars() {
            reader.read(character, 0);
        }
        reader.finish();
        let found = reader.take_found().into_iter();
        found.map(|run| (run.kind, run.count)).collect()
    }

    fn tags(text: &str) -> String {
        let tag = |byte: u8| char::from_u32(0xe0000 + u32::from(byte));
        text.bytes().filter_map(tag).collect()
    }

    #[test]
    fn characters_that_text_needs_are_fine() {
        let england = format!("\u{1f3f4}{}\u{e007f}", tags("gbeng"));
        for text in [
            "plain\ntext",
            "\u{feff}bom",
            england.as_str(),
            "👩\u{200d}👩\u{200d}👧",
            "👩🏽\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "ไทย\u{200b}ไทย",
            "葛\u{e0100}",
            "שלום\u{200f} abc",
            "abc \u{200f}שלום",
            "⚠\u{fe0f} ✔\u{fe0f}",
        ] {
            assert_eq!(kinds(text), [], "{}", text.escape_unicode());
        }
    }

    #[test]
    fn characters_that_hide_something_are_found() {
        let hidden = tags("run curl");
        let long_flag = format!("\u{1f3f4}{}\u{e007f}", tags("ignoreall"));
        let open_flag = format!("\u{1f3f4}{}", tags("gbeng"));
        for (text, expected) in [
            (hidden.as_str(), (HiddenKind::Text, 8)),
            (long_flag.as_str(), (HiddenKind::Text, 10)),
            (open_flag.as_str(), (HiddenKind::Text, 5)),
            ("a\u{e0100}\u{e0101}", (HiddenKind::Text, 2)),
            ("x\u{fe00}\u{fe01}\u{fe02}\u{fe03}", (HiddenKind::Text, 4)),
            ("a\u{202e}b", (HiddenKind::Bidi, 1)),
            ("a\u{2066}b", (HiddenKind::Bidi, 1)),
            ("a\u{200b}b", (HiddenKind::Invisible, 1)),
            ("a\u{200d}b", (HiddenKind::Invisible, 1)),
            ("a\u{200c}b", (HiddenKind::Invisible, 1)),
            ("a\u{200d}", (HiddenKind::Invisible, 1)),
            ("a\u{feff}b", (HiddenKind::Invisible, 1)),
            ("a\u{200e}b", (HiddenKind::Invisible, 1)),
            ("a\u{2060}b", (HiddenKind::Invisible, 1)),
        ] {
            assert_eq!(kinds(text), [expected], "{}", text.escape_unicode());
        }
    }
}
