//! YAML 1.2 from the parser's events, without recursion.
//!
//! A node's span leaves out its anchor and tag, and everything after its last byte. Block maps and lists go from their
//! first key or dash to the end of their last child; block scalars from `|` or `>` to the end of their last line; an
//! empty value stands right behind its `:` or `-`, or behind its anchor.

use std::ops::ControlFlow;

use agpm_diag::{Code, Diagnostic, Span, codes};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use crate::formats::flow::{is_blank, line_start, skip_blanks};
use crate::formats::yaml::message::advice;
use crate::formats::yaml::offsets::Offsets;
use crate::formats::yaml::scalar::{Resolved, resolve};
use crate::formats::yaml::scan::{
    after_newline, header_end, is_indicator, is_marker, line_end, property_end, quoted_end,
    skip_trivia,
};
use crate::tree::{Kind, Merge, NodeId, ReaderState};

pub(crate) fn read(reading: &mut ReaderState<'_>) {
    let range = reading.range.clone();
    let text = &reading.text[..range.end];
    let mut reader = Reader {
        reading,
        text,
        offsets: Offsets::new(text, range.start),
        at: range.start,
        tag: Span::at(range.start),
        frames: Vec::new(),
        stack: Vec::new(),
        anchors: Vec::new(),
        expansion: 0,
        documents: 0,
    };
    let mut parser = Parser::new_from_str(&text[range]);
    while let Some(event) = parser.next_event() {
        let flow = match event {
            Ok((event, span)) => {
                let span =
                    reader.offsets.byte(span.start.index())..reader.offsets.byte(span.end.index());
                reader.event(event, span)
            }
            Err(error) => reader.syntax(&error),
        };
        if flow.is_break() {
            reader.abandon();
            break;
        }
    }
}

/// A finished node, and what it stands for when an alias names it.
#[derive(Clone, Copy)]
struct Made {
    id: NodeId,
    /// Nodes, aliases followed.
    weight: usize,
    /// Levels of containers, aliases followed.
    height: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Block,
    Flow,
    /// `[key: value]`: a map of one entry without brackets.
    Pair,
}

/// What the next node inside an open container is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Item,
    Key,
    Value,
    /// The value of this `<<`.
    Merge(NodeId),
    /// The value of a key that was refused.
    Nothing,
}

struct Frame {
    style: Style,
    expected: Expected,
    start: usize,
    /// Where its children start on the stack.
    base: usize,
    anchor: usize,
    merges: Vec<(NodeId, NodeId)>,
    /// Where on the stack its first `<<` stood.
    merge_at: usize,
    weight: usize,
    height: usize,
}

/// A scalar event.
struct Scalar<'e> {
    text: &'e str,
    style: ScalarStyle,
    anchor: usize,
    tag: Option<&'e Tag>,
}

struct Reader<'r, 'a> {
    reading: &'r mut ReaderState<'a>,
    /// Up to the end of the range.
    text: &'a str,
    offsets: Offsets<'a>,
    /// After the last token that was understood.
    at: usize,
    /// The tag that was met last.
    tag: Span,
    frames: Vec<Frame>,
    /// Children of all open containers, innermost last.
    stack: Vec<NodeId>,
    /// By the parser's number; nothing while the node is open.
    anchors: Vec<Option<Made>>,
    expansion: usize,
    documents: usize,
}

impl Reader<'_, '_> {
    fn event(&mut self, event: Event<'_>, span: std::ops::Range<usize>) -> ControlFlow<()> {
        match event {
            Event::DocumentStart(explicit) => return self.document(explicit, span),
            Event::Alias(anchor) => return self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(
                    &mut Scalar {
                        text: &text,
                        style,
                        anchor,
                        tag: tag.as_deref(),
                    },
                    span,
                );
            }
            Event::SequenceStart(anchor, tag) => {
                return self.open(Kind::List, anchor, tag.as_deref(), &span);
            }
            Event::MappingStart(anchor, tag) => {
                return self.open(Kind::Map, anchor, tag.as_deref(), &span);
            }
            Event::SequenceEnd | Event::MappingEnd => return self.close(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, code: &'static Code, span: Span, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(code, message)
            .at(self.reading.source, span, "")
            .help(help);
        self.reading.report(diagnostic);
    }

    fn syntax(&mut self, error: &ScanError) -> ControlFlow<()> {
        let at = self.place_of(error);
        let width = self.text[at..]
            .chars()
            .next()
            .filter(|c| !c.is_control())
            .map_or(0, char::len_utf8);
        let span = Span::new(at, at + width);
        if error.info().contains("recursion limit") {
            self.reading.report_too_deep(span);
            return ControlFlow::Break(());
        }
        let advice = advice(error.info());
        match self.open_bracket() {
            Some(bracket) if skip_trivia(self.text, at) == self.text.len() => {
                self.unclosed(bracket)
            }
            _ if std::ptr::eq(advice.code, &codes::YAML_ALIAS) => {
                let alias = Span::new(at, property_end(self.text, at));
                self.error(advice.code, alias, advice.message, advice.help);
            }
            _ => self.error(advice.code, span, advice.message, advice.help),
        }
        ControlFlow::Break(())
    }

    /// The parser notices some mistakes only at the next token, or tells them of the one before.
    fn place_of(&mut self, error: &ScanError) -> usize {
        let at = self.offsets.byte(error.marker().index());
        if error.info().contains("simple key expect") {
            let before = self.text[..at].trim_end();
            let line = line_start(self.text, before.len());
            return skip_blanks(self.text, line).min(at);
        }
        if error.info().contains("tab") {
            let indent_with_tab = |line: &str| {
                line[..line.len() - line.trim_start_matches([' ', '\t']).len()].find('\t')
            };
            let mut start = line_start(self.text, at);
            for line in self.text[start..].split_inclusive('\n') {
                if let Some(tab) = indent_with_tab(line) {
                    return start + tab;
                }
                start += line.len();
            }
        }
        at
    }

    /// The bracket that waits for its end.
    fn open_bracket(&self) -> Option<usize> {
        self.frames
            .iter()
            .rev()
            .find(|frame| frame.style == Style::Flow)
            .map(|frame| frame.start)
    }

    fn unclosed(&mut self, bracket: usize) {
        let is_list = self.text[bracket..].starts_with('[');
        let (open, close) = if is_list { ('[', ']') } else { ('{', '}') };
        let span = Span::new(bracket, bracket + 1);
        let message = format!("this `{open}` is not closed");
        self.error(
            &codes::YAML_SYNTAX,
            span,
            message,
            &format!("write `{close}` behind the last value"),
        );
    }

    fn document(&mut self, explicit: bool, span: std::ops::Range<usize>) -> ControlFlow<()> {
        self.documents += 1;
        if self.documents > 1 {
            let span = Span::new(span.start, span.end.min(self.text.len()));
            let help = "keep one document in a file; split the others off";
            self.error(
                &codes::YAML_DOCUMENTS,
                span,
                "a second document starts here",
                help,
            );
            return ControlFlow::Break(());
        }
        if explicit {
            self.at = span.end;
        }
        // The end of a document that never started.
        while is_marker(self.text, skip_trivia(self.text, self.at), "...") {
            self.at = skip_trivia(self.text, self.at) + 3;
        }
        ControlFlow::Continue(())
    }

    /// Moves behind `indicator` if it is the next token.
    fn take(&mut self, indicator: u8) {
        let next = skip_trivia(self.text, self.at);
        if self.text.as_bytes().get(next) == Some(&indicator) {
            self.at = next + 1;
        }
    }

    /// Moves behind the indicator that announces the next node.
    fn announce(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        match (frame.expected, frame.style) {
            (Expected::Item, Style::Block) => self.take(b'-'),
            (Expected::Item, _) => self.take(b','),
            (Expected::Key, style) => {
                if style == Style::Flow {
                    self.take(b',');
                }
                let next = skip_trivia(self.text, self.at);
                if is_indicator(self.text, next, b'?') {
                    self.at = next + 1;
                }
            }
            (_, style) => {
                let next = skip_trivia(self.text, self.at);
                // A block map's next key may start with a colon itself.
                if style != Style::Block || is_indicator(self.text, next, b':') {
                    self.take(b':');
                }
            }
        }
    }

    /// Moves behind the anchor and the tag of the next node.
    fn properties(&mut self, count: usize) {
        for _ in 0..count {
            let start = skip_trivia(self.text, self.at);
            self.at = property_end(self.text, start);
            if self.text[start..].starts_with('!') {
                self.tag = Span::new(start, self.at);
            }
        }
    }

    fn scalar(&mut self, scalar: &mut Scalar<'_>, raw: std::ops::Range<usize>) {
        self.announce();
        let properties = usize::from(scalar.anchor > 0) + usize::from(scalar.tag.is_some());
        self.properties(properties);
        if scalar.style == ScalarStyle::Plain && scalar.text.is_empty() {
            if self.frames.is_empty() && properties == 0 {
                return;
            }
            // An empty key stands before its colon, an empty value behind it.
            let colon = skip_trivia(self.text, self.at);
            let stands_before = self.expects_key() && self.text[colon..].starts_with(':');
            let at = if stands_before { colon } else { self.at };
            self.add_scalar(scalar, Span::at(at), Span::at(at));
            return;
        }
        let mut start = skip_trivia(self.text, self.at);
        let quoted = matches!(
            scalar.style,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
        );
        // In odd flow collections the parser's nodes do not stand where ours are expected: then it knows better.
        if quoted && !self.text[start..].starts_with(['"', '\'']) {
            start = raw.start;
        }
        let (start, end) = match scalar.style {
            ScalarStyle::Plain if properties == 0 => (raw.start, raw.end),
            ScalarStyle::Plain => (start, raw.end),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                (start, quoted_end(self.text, start))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                scalar.text = self.block_content(scalar.text, start, raw.end);
                (start, self.block_end(start, raw, scalar.text))
            }
        };
        let (span, content) = match scalar.style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let inside = (start + 1).min(end);
                (start..end, inside..end.saturating_sub(1).max(inside))
            }
            _ => (start.min(end)..end, start.min(end)..end),
        };
        self.at = end;
        self.add_scalar(
            scalar,
            Span::new(span.start, span.end),
            Span::new(content.start, content.end),
        );
    }

    /// The end of the last line of a block scalar; blank lines at the end count only if it keeps them.
    fn block_end(&self, start: usize, raw: std::ops::Range<usize>, content: &str) -> usize {
        let header = header_end(self.text, start);
        let body = &self.text[header..raw.end.max(header)];
        // A last line of blanks beyond the indent is content, unless something follows on it.
        let blanks_count = content.trim_end_matches('\n').ends_with([' ', '\t']);
        let keeps = self.text[start..header].contains('+') || blanks_count;
        let last_line = body.rfind('\n').map_or(0, |newline| newline + 1);
        let is_content = blanks_count && raw.end == self.text.len();
        let body = if is_blank(&body[last_line..]) && !is_content {
            &body[..last_line]
        } else {
            body
        };
        let one_less = body
            .strip_suffix('\n')
            .map_or(body, |b| b.strip_suffix('\r').unwrap_or(b));
        let kept = if keeps {
            one_less
        } else {
            body.trim_end_matches([' ', '\t', '\r', '\n'])
        };
        if raw.end <= header || !kept.contains('\n') {
            header
        } else {
            header + kept.len()
        }
    }

    /// The content of a block scalar; the parser takes blanks at the end of the text for one more line.
    fn block_content<'e>(&self, content: &'e str, start: usize, end: usize) -> &'e str {
        let header = header_end(self.text, start);
        let body = after_newline(self.text, line_end(self.text, header));
        let last_line = line_start(self.text, self.text.len()).max(body);
        let trimmed = content.trim_end_matches('\n');
        let is_phantom =
            end == self.text.len() && last_line < end && is_blank(&self.text[last_line..]);
        if !is_phantom || trimmed.ends_with([' ', '\t']) {
            return content;
        }
        let blank = self.text[body..]
            .trim_end_matches([' ', '\t', '\r', '\n'])
            .len();
        let most = if self.text[start..header].contains('+') {
            usize::MAX
        } else {
            1
        };
        let newlines = self.text[body + blank..].matches('\n').count().min(most);
        &content[..content.len().min(trimmed.len() + newlines)]
    }

    fn add_scalar(&mut self, scalar: &Scalar<'_>, span: Span, content: Span) {
        let is_key = self.expects_key();
        if is_key {
            self.key(scalar, span, content);
        }
        if !is_key || scalar.anchor > 0 {
            let id = self.scalar_node(scalar, span, content);
            let made = Made {
                id,
                weight: 1,
                height: 0,
            };
            self.remember(scalar.anchor, made);
            if !is_key {
                self.add(made);
            }
        }
    }

    /// Keys are known by their text, whatever a value of that text would be.
    fn key(&mut self, scalar: &Scalar<'_>, span: Span, content: Span) {
        if scalar.tag.is_some_and(|tag| core_tag(tag).is_none()) {
            self.refuse_tag();
        }
        let key = self.string_node(scalar.text, span, content);
        let merges =
            scalar.text == "<<" && scalar.style == ScalarStyle::Plain && scalar.tag.is_none();
        if merges {
            self.expect(Expected::Merge(key))
        } else {
            self.add_key(key)
        }
    }

    fn add_key(&mut self, key: NodeId) {
        self.stack.push(key);
        self.expect(Expected::Value);
    }

    fn expects_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.expected == Expected::Key)
    }

    fn expect(&mut self, expected: Expected) {
        if let Some(frame) = self.frames.last_mut() {
            frame.expected = expected;
        }
    }

    fn string_node(&mut self, text: &str, span: Span, content: Span) -> NodeId {
        if self.text.get(content.range()) == Some(text) {
            self.reading.tree.verbatim(Kind::String, span, content)
        } else {
            self.reading.tree.decoded(Kind::String, span, text)
        }
    }

    fn number_node(&mut self, kind: Kind, number: &str, span: Span) -> NodeId {
        if self.text.get(span.range()) == Some(number) {
            self.reading.tree.verbatim(kind, span, span)
        } else {
            self.reading.tree.decoded(kind, span, number)
        }
    }

    fn scalar_node(&mut self, scalar: &Scalar<'_>, span: Span, content: Span) -> NodeId {
        let plain = if scalar.style == ScalarStyle::Plain {
            resolve(scalar.text)
        } else {
            Resolved::String
        };
        let resolved = match scalar.tag {
            None => plain,
            Some(tag) => self.tagged(tag, scalar.text),
        };
        match resolved {
            Resolved::Null => self.reading.tree.null(span),
            Resolved::Bool(value) => self.reading.tree.bool(span, value),
            Resolved::Integer(number) => self.number_node(Kind::Integer, &number, span),
            Resolved::Float(number) => self.number_node(Kind::Float, &number, span),
            Resolved::String => self.string_node(scalar.text, span, content),
            Resolved::TooLarge => {
                let help = "put it in quotes if it is no number";
                self.error(&codes::YAML_SYNTAX, span, "this number is too large", help);
                self.string_node(scalar.text, span, content)
            }
        }
    }

    /// What a scalar is when its tag says so.
    fn tagged<'t>(&mut self, tag: &Tag, text: &'t str) -> Resolved<'t> {
        let resolved = match (core_tag(tag), resolve(text)) {
            (Some("str"), _) => return Resolved::String,
            (Some("int"), found @ Resolved::Integer(_)) => return found,
            (Some("float"), found @ Resolved::Float(_)) => return found,
            (Some("float"), Resolved::Integer(number)) => {
                return Resolved::Float(format!("{number}.0").into());
            }
            (Some("bool"), found @ Resolved::Bool(_)) => return found,
            (Some("null"), found @ Resolved::Null) => return found,
            (core, _) => core,
        };
        match resolved {
            Some(name) => self.mismatched_tag(name),
            None => self.refuse_tag(),
        }
        Resolved::String
    }

    fn mismatched_tag(&mut self, name: &str) {
        let message = format!("the tag `!!{name}` does not fit this value");
        self.error(
            &codes::YAML_TAG,
            self.tag,
            message,
            "remove the tag, or write a value of that kind",
        );
    }

    fn refuse_tag(&mut self) {
        let help =
            "remove the tag; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are known";
        self.error(
            &codes::YAML_TAG,
            self.tag,
            "this tag is not supported".to_owned(),
            help,
        );
    }

    fn alias(&mut self, anchor: usize, span: std::ops::Range<usize>) -> ControlFlow<()> {
        self.announce();
        self.at = span.end;
        let span = Span::new(span.start, span.end);
        let Some(Some(target)) = self.anchors.get(anchor).copied() else {
            let help = "an alias cannot stand inside the value that it names";
            self.error(&codes::YAML_ALIAS, span, "this alias contains itself", help);
            let id = self.reading.tree.null(span);
            self.add(Made {
                id,
                weight: 1,
                height: 0,
            });
            return ControlFlow::Continue(());
        };
        self.expand(target.weight, span)?;
        if self.frames.len() + target.height > self.reading.limits.depth {
            self.reading.report_too_deep(span);
            return ControlFlow::Break(());
        }
        let id = self.reading.tree.copy(target.id, span);
        self.reading.tree.sharing.aliases.push((id, target.id));
        let is_key = self.expects_key();
        if is_key && target.height == 0 {
            let content = self.reading.tree.content(self.reading.text, id).to_owned();
            let key = self.reading.tree.decoded(Kind::String, span, &content);
            self.add_key(key);
        } else {
            self.add(Made { id, ..target });
        }
        ControlFlow::Continue(())
    }

    /// Counts nodes that stand in more than one place.
    fn expand(&mut self, nodes: usize, span: Span) -> ControlFlow<()> {
        self.expansion = self.expansion.saturating_add(nodes);
        if self.expansion <= self.reading.limits.expansion {
            return ControlFlow::Continue(());
        }
        let message = format!(
            "aliases stand for more than {} values",
            self.reading.limits.expansion
        );
        self.error(
            &codes::YAML_ALIAS,
            span,
            message,
            "write fewer aliases of aliases",
        );
        ControlFlow::Break(())
    }

    fn remember(&mut self, anchor: usize, made: Made) {
        if anchor > 0 {
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            self.anchors[anchor] = Some(made);
        }
    }

    fn open(
        &mut self,
        kind: Kind,
        anchor: usize,
        tag: Option<&Tag>,
        raw: &std::ops::Range<usize>,
    ) -> ControlFlow<()> {
        self.announce();
        let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
        self.properties(properties);
        let start = skip_trivia(self.text, self.at);
        if self.frames.len() >= self.reading.limits.depth {
            self.reading.report_too_deep(Span::at(start));
            return ControlFlow::Break(());
        }
        if let Some(tag) = tag {
            self.check_tag(kind, tag);
        }
        // A block map whose first key is in brackets has an empty span of its own.
        let has_text = properties > 0 || !raw.is_empty();
        let style = match (kind, self.text.as_bytes().get(start)) {
            (Kind::List, Some(b'[')) | (Kind::Map, Some(b'{')) if has_text => Style::Flow,
            _ if self
                .frames
                .last()
                .is_some_and(|frame| frame.style != Style::Block) =>
            {
                Style::Pair
            }
            _ => Style::Block,
        };
        if style == Style::Block {
            self.check_indent(start);
        }
        self.at = if style == Style::Flow {
            start + 1
        } else {
            start
        };
        self.frames.push(Frame {
            style,
            expected: if kind == Kind::List {
                Expected::Item
            } else {
                Expected::Key
            },
            start,
            base: self.stack.len(),
            anchor,
            merges: Vec::new(),
            merge_at: 0,
            weight: 1,
            height: 0,
        });
        ControlFlow::Continue(())
    }

    /// The parser lets some tabs pass that no other does.
    fn check_indent(&mut self, start: usize) {
        let line = line_start(self.text, start);
        if let Some(tab) = memchr::memchr(b'\t', &self.text.as_bytes()[line..start]) {
            let advice = advice("tab");
            let span = Span::new(line + tab, line + tab + 1);
            self.error(advice.code, span, advice.message, advice.help);
        }
    }

    fn check_tag(&mut self, kind: Kind, tag: &Tag) {
        match (kind, core_tag(tag)) {
            (Kind::List, Some("seq")) | (Kind::Map, Some("map")) => {}
            (_, Some(name)) => self.mismatched_tag(name),
            (_, None) => self.refuse_tag(),
        }
    }

    /// Puts a finished node where its container expects it.
    fn add(&mut self, made: Made) {
        let Some(frame) = self.frames.last_mut() else {
            self.reading.tree.root = Some(made.id);
            return;
        };
        frame.weight = frame.weight.saturating_add(made.weight);
        frame.height = frame.height.max(made.height);
        match frame.expected {
            Expected::Item => self.stack.push(made.id),
            Expected::Value => {
                self.stack.push(made.id);
                frame.expected = Expected::Key;
            }
            Expected::Nothing => frame.expected = Expected::Key,
            Expected::Merge(key) => {
                frame.expected = Expected::Key;
                self.merge(key, made.id);
            }
            Expected::Key => {
                frame.expected = Expected::Nothing;
                let span = self.reading.tree.span(made.id);
                let help = "keys are texts; put one in quotes if it is to start with a bracket";
                self.error(
                    &codes::YAML_KEY,
                    span,
                    "a map or a list cannot be a key",
                    help,
                );
            }
        }
    }

    fn merge(&mut self, key: NodeId, value: NodeId) {
        let tree = &self.reading.tree;
        let good = match tree.kind(value) {
            Kind::Map => true,
            Kind::List => tree
                .children(value)
                .iter()
                .all(|item| tree.kind(*item) == Kind::Map),
            _ => false,
        };
        let top = self.stack.len();
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let again = !frame.merges.is_empty();
        if good && !again {
            frame.merges.push((key, value));
            frame.merge_at = top;
            return;
        }
        let (message, help) = if again {
            (
                "a second `<<` in one map",
                "write one, with a list: `<<: [*first, *second]`",
            )
        } else {
            (
                "`<<` takes a map or a list of maps",
                "name a map by its alias, or put the key `\"<<\"` in quotes",
            )
        };
        let span = if again {
            tree.span(key)
        } else {
            tree.span(value)
        };
        self.error(&codes::YAML_MERGE_KEY, span, message, help);
    }

    fn close(&mut self) -> ControlFlow<()> {
        let Some(frame) = self.frames.pop() else {
            return ControlFlow::Continue(());
        };
        if frame.style == Style::Flow {
            self.take(b',');
            let close = if frame.expected == Expected::Item {
                b']'
            } else {
                b'}'
            };
            let rest = &self.text.as_bytes()[skip_trivia(self.text, self.at)..];
            let skipped = memchr::memchr(close, rest).map_or(rest.len(), |length| length + 1);
            self.at = self.text.len() - rest.len() + skipped;
        }
        self.finish(frame)
    }

    /// Makes the node of a container whose children are all there.
    fn finish(&mut self, frame: Frame) -> ControlFlow<()> {
        let span = Span::new(frame.start.min(self.at), self.at);
        let children = self.stack.split_off(frame.base);
        let mut flow = ControlFlow::Continue(());
        let id = if frame.expected == Expected::Item {
            self.reading.tree.list(span, &children)
        } else {
            self.reading.report_duplicates(&children);
            let (entries, counted) = self.inherit(&frame, children);
            flow = counted;
            let map = self.reading.tree.map(span, &entries);
            let merges = frame.merges.iter().map(|(key, value)| Merge {
                map,
                key: *key,
                value: *value,
            });
            self.reading.tree.sharing.merges.extend(merges);
            map
        };
        let made = Made {
            id,
            weight: frame.weight,
            height: frame.height + 1,
        };
        self.remember(frame.anchor, made);
        self.add(made);
        flow
    }

    /// The entries of a map with those that its `<<` brings, which stand where the `<<` stands.
    fn inherit(
        &mut self,
        frame: &Frame,
        mut children: Vec<NodeId>,
    ) -> (Vec<NodeId>, ControlFlow<()>) {
        let Some((key, value)) = frame.merges.first().copied() else {
            return (children, ControlFlow::Continue(()));
        };
        let found = self.inherited(value, &children);
        let key_span = self.reading.tree.span(key);
        if self.expand(found.len() / 2, key_span).is_break() {
            return (children, ControlFlow::Break(()));
        }
        let tree = &mut self.reading.tree;
        let mut entries = Vec::with_capacity(found.len());
        for pair in found.chunks_exact(2) {
            let copy = tree.copy(pair[1], tree.span(pair[1]));
            tree.sharing.inherited.push(copy);
            entries.extend([pair[0], copy]);
        }
        let at = (frame.merge_at - frame.base).min(children.len());
        children.splice(at..at, entries);
        (children, ControlFlow::Continue(()))
    }

    /// Entries of the maps in `value` whose keys are neither in `explicit` nor in an earlier map.
    fn inherited(&self, value: NodeId, explicit: &[NodeId]) -> Vec<NodeId> {
        let tree = &self.reading.tree;
        let content = |id: NodeId| tree.content(self.reading.text, id);
        let mut seen: hashbrown::HashSet<&str, foldhash::fast::FixedState> = explicit
            .chunks_exact(2)
            .map(|pair| content(pair[0]))
            .collect();
        let sources = match tree.kind(value) {
            Kind::List => tree.children(value).to_vec(),
            _ => vec![value],
        };
        let entries = sources
            .iter()
            .flat_map(|source| tree.children(*source).chunks_exact(2));
        entries
            .filter(|pair| seen.insert(content(pair[0])))
            .flatten()
            .copied()
            .collect()
    }

    /// Makes what there is of the containers that an error left open.
    fn abandon(&mut self) {
        while let Some(mut frame) = self.frames.pop() {
            if frame.expected == Expected::Value {
                self.stack.pop();
            }
            frame.merges.clear();
            let _ = self.finish(frame);
        }
    }
}

/// The name of a tag of the core schema that we know.
fn core_tag(tag: &Tag) -> Option<&str> {
    const KNOWN: &[&str] = &["str", "int", "float", "bool", "null", "map", "seq"];
    let name = tag.suffix.as_str();
    (tag.handle == "tag:yaml.org,2002:" && KNOWN.contains(&name)).then_some(name)
}
