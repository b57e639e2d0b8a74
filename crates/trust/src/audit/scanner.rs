//! Reads content in pieces and finds what the rules describe.

use regex_automata::Input;

use agpm_diag::mask_line;

use super::escapes::{DecodedOutput, EscapeDecoder, EscapeStyle};
use super::exceptions::PatternMatch;
use super::hidden::{HiddenCharacters, HiddenKind, HiddenRun, described};
use super::patterns::{COMPILED_RULES, CompiledRule};
use super::rule::{AuditFinding, AuditRule, Detection};
use super::rules::AUDIT_RULES;
use super::servers::http_findings;

/// Bytes that are searched at once: enough to be fast, and few enough to need no memory.
const WINDOW: usize = 256 * 1024;
/// Bytes of the next window that a match may reach into. Commands and sentences are shorter.
const OVERLAP: usize = 16 * 1024;
/// Bytes before a window that expressions look at for word boundaries, and excerpts for the start of the line.
const LOOK_BEHIND: usize = 512;
/// Bytes before a match in which a sentence may say that it is an example.
const PARAGRAPH: usize = 240;
/// Findings of one rule in one file that have their own line; the others are counted.
const MOST_OF_RULE: usize = 10;
/// Characters of an excerpt.
const LONGEST_EXCERPT: usize = 120;
/// The first bytes, in which a zero byte shows that a file is binary.
const BINARY_PROBE: usize = 8 * 1024;
/// Configuration files that are larger than this are not read as such.
const LARGEST_CONFIG: usize = 1024 * 1024;
/// Extensions of files that a tool reads as text whatever is in them.
const TEXT_EXTENSIONS: [&str; 19] = [
    "md", "mdc", "json", "jsonc", "toml", "yaml", "yml", "txt", "sh", "bash", "zsh", "py", "js",
    "mjs", "cjs", "ts", "rb", "pl", "ps1",
];

/// Finds what the rules describe in one file, which is read in pieces.
pub struct AuditScanner {
    name: String,
    decoder: EscapeDecoder,
    text: DecodedText,
    hidden: HiddenCharacters,
    /// The bytes of the window whose characters were read.
    characters_read: usize,
    /// By compiled rule, the byte of the window from which it is searched.
    searched: Vec<usize>,
    /// The first bytes of a configuration file.
    config: Option<Vec<u8>>,
    findings: Vec<AuditFinding>,
    is_binary: bool,
    read: usize,
}

/// The part of the text that is searched, with the lines of the file.
#[derive(Default)]
struct DecodedText {
    bytes: Vec<u8>,
    /// Where lines begin.
    lines: Vec<usize>,
    /// The number of lines before.
    lines_before: usize,
}

impl DecodedOutput for DecodedText {
    fn add(&mut self, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let breaks = memchr::memchr_iter(b'\n', bytes);
        self.lines.extend(breaks.map(|at| start + at + 1));
    }

    fn add_escaped(&mut self, character: char) {
        let mut room = [0; 4];
        self.bytes
            .extend_from_slice(character.encode_utf8(&mut room).as_bytes());
    }
}

impl DecodedText {
    /// The line of a byte, from one.
    fn line(&self, at: usize) -> usize {
        self.lines_before + self.lines.partition_point(|start| *start <= at) + 1
    }

    fn drop_before(&mut self, at: usize) {
        self.bytes.drain(..at);
        let gone = self.lines.partition_point(|start| *start <= at);
        self.lines.drain(..gone);
        self.lines_before += gone;
        for line in &mut self.lines {
            *line -= at;
        }
    }
}

/// Audits a file that is in memory.
pub fn scan(name: &str, bytes: &[u8]) -> Vec<AuditFinding> {
    let mut scanner = AuditScanner::new(name);
    scanner.feed(bytes);
    scanner.finish()
}

impl AuditScanner {
    /// A scanner for a file with this name.
    pub fn new(name: &str) -> Self {
        let style = EscapeStyle::of_file(name);
        let is_config = matches!(style, EscapeStyle::Json | EscapeStyle::Unicode);
        AuditScanner {
            name: name.to_owned(),
            decoder: EscapeDecoder::new(style),
            text: DecodedText::default(),
            hidden: HiddenCharacters::default(),
            characters_read: 0,
            searched: vec![0; COMPILED_RULES.len()],
            config: is_config.then(Vec::new),
            findings: Vec::new(),
            is_binary: false,
            read: 0,
        }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(WINDOW) {
            self.feed_piece(piece);
        }
    }

    fn feed_piece(&mut self, piece: &[u8]) {
        if self.read < BINARY_PROBE {
            let probe = &piece[..piece.len().min(BINARY_PROBE - self.read)];
            self.is_binary |= probe.contains(&0) && !is_text(&self.name);
        }
        self.read += piece.len();
        if self.is_binary {
            return;
        }
        match &mut self.config {
            Some(config) if config.len() + piece.len() <= LARGEST_CONFIG => {
                config.extend_from_slice(piece);
            }
            config => *config = None,
        }
        self.decoder.feed(piece, &mut self.text);
        if self.text.bytes.len() >= WINDOW + OVERLAP {
            self.search(self.text.bytes.len() - OVERLAP);
            self.advance();
        }
    }

    /// The findings of the whole file, by line.
    pub fn finish(mut self) -> Vec<AuditFinding> {
        if self.is_binary {
            return Vec::new();
        }
        self.decoder.finish(&mut self.text);
        self.search(self.text.bytes.len());
        self.hidden.finish();
        self.note_hidden();
        if let Some(config) = &self.config {
            let servers = http_findings(&self.name, config);
            self.findings.extend(servers);
        }
        let order = |rule: &AuditRule| AUDIT_RULES.iter().position(|one| one == rule);
        self.findings
            .sort_by_key(|finding| (finding.line, order(finding.rule)));
        self.findings
    }

    /// Searches everything that begins before `end`.
    fn search(&mut self, end: usize) {
        self.read_characters(end);
        let mut searched = std::mem::take(&mut self.searched);
        for (compiled, from) in COMPILED_RULES.iter().zip(&mut searched) {
            *from = self.search_rule(compiled, *from, end);
        }
        self.searched = searched;
    }

    fn search_rule(&mut self, compiled: &CompiledRule, mut from: usize, end: usize) -> usize {
        while from < end {
            let input = Input::new(&self.text.bytes).range(from..);
            let Some(found) = compiled.regex.search(&input) else {
                return end;
            };
            if found.start() >= end {
                return end;
            }
            let pattern = &compiled.patterns[found.pattern().as_usize()];
            let context = self.context(found.start(), found.end());
            let mut exceptions = pattern.except.iter();
            if exceptions.any(|exception| exception.applies(&context)) {
                // A longer match may hide another one.
                from = found.start() + 1;
                continue;
            }
            let line = self.text.line(found.start());
            let excerpt = excerpt(compiled.rule, &context);
            self.add(compiled.rule, line, excerpt, 1);
            from = found.end().max(found.start() + 1);
        }
        from
    }

    fn context(&self, start: usize, end: usize) -> PatternMatch<'_> {
        let bytes = &self.text.bytes;
        let nearby = start.saturating_sub(LOOK_BEHIND);
        let line_start =
            memchr::memrchr(b'\n', &bytes[nearby..start]).map_or(nearby, |at| nearby + at + 1);
        let rest = &bytes[end..bytes.len().min(end + LOOK_BEHIND)];
        let line_end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let paragraph = &bytes[start.saturating_sub(PARAGRAPH)..start];
        let breaks = paragraph.windows(2).rposition(|pair| pair == b"\n\n");
        PatternMatch {
            paragraph: &paragraph[breaks.map_or(0, |at| at + 2)..],
            before: &bytes[line_start..start],
            matched: &bytes[start..end],
            after: &rest[..line_end],
        }
    }

    /// Reads the characters up to `end`, or to the last whole one before it.
    fn read_characters(&mut self, end: usize) {
        let mut at = self.characters_read;
        let mut lines = self.text.lines.partition_point(|start| *start <= at);
        while at < end {
            let window = &self.text.bytes[at..];
            let mut chunks = window.utf8_chunks();
            let Some(chunk) = chunks.next() else { break };
            for (offset, character) in chunk.valid().char_indices() {
                if at + offset >= end {
                    at += offset;
                    self.characters_read = at;
                    self.note_hidden();
                    return;
                }
                while self
                    .text
                    .lines
                    .get(lines)
                    .is_some_and(|start| *start <= at + offset)
                {
                    lines += 1;
                }
                self.hidden
                    .read(character, self.text.lines_before + lines + 1);
            }
            at += chunk.valid().len() + chunk.invalid().len();
        }
        self.characters_read = at;
        self.note_hidden();
    }

    fn note_hidden(&mut self) {
        for run in self.hidden.take_found() {
            let rule = rule_of(run.kind);
            // One finding for each file: a list of every character would hide everything else.
            if let Some(known) = self.findings.iter_mut().find(|one| one.rule == rule) {
                known.more += run.count;
                continue;
            }
            self.findings.push(AuditFinding {
                rule,
                line: run.line,
                excerpt: hidden_excerpt(&run),
                more: run.count - 1,
            });
        }
    }

    fn add(&mut self, rule: &'static AuditRule, line: usize, excerpt: String, count: usize) {
        let mut of_rule = self.findings.iter_mut().filter(|one| one.rule == rule);
        if let Some(last) = of_rule.nth(MOST_OF_RULE - 1) {
            last.more += count;
            return;
        }
        self.findings.push(AuditFinding {
            rule,
            line,
            excerpt,
            more: count - 1,
        });
    }

    /// Forgets what was searched.
    fn advance(&mut self) {
        let least = self.searched.iter().copied().min().unwrap_or(0);
        let done = least.min(self.characters_read);
        let gone = done.saturating_sub(LOOK_BEHIND);
        self.text.drop_before(gone);
        self.characters_read -= gone;
        for from in &mut self.searched {
            *from -= gone;
        }
    }
}

fn is_text(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    TEXT_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

fn rule_of(kind: HiddenKind) -> &'static AuditRule {
    let is_it = |rule: &&AuditRule| match kind {
        HiddenKind::Text => matches!(rule.detection, Detection::HiddenText),
        HiddenKind::Bidi => matches!(rule.detection, Detection::Bidi),
        HiddenKind::Invisible => matches!(rule.detection, Detection::Invisible),
    };
    AUDIT_RULES
        .iter()
        .find(is_it)
        .expect("every kind of hidden characters has a rule")
}

fn hidden_excerpt(run: &HiddenRun) -> String {
    let described = described(run.first);
    if run.text.trim().is_empty() {
        return described;
    }
    format!("{described}: hidden text `{}`", run.text.replace('`', "'"))
}

/// A finding as it may be shown: on one line, and without the secret.
fn excerpt(rule: &AuditRule, found: &PatternMatch<'_>) -> String {
    let matched = String::from_utf8_lossy(found.matched);
    if rule.code == &agpm_diag::codes::AUDIT_SECRET {
        let start: String = matched.chars().take(4).collect();
        return format!("{start}… ({} characters)", matched.chars().count());
    }
    let line = format!("{matched}{}", String::from_utf8_lossy(found.after));
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let mut short: String = line.chars().take(LONGEST_EXCERPT).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    mask_line(&short)
}
