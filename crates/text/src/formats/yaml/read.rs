//! Reads YAML 1.2 from the parser's events, without recursion.
//!
//! A node's span excludes its anchor and tag, and everything after its last byte. Block maps and lists span from their
//! first key or dash to the end of their last child; block scalars from `|` or `>` to the end of their last line; an
//! empty value is right after its `:` or `-`, or after its anchor.

use std::ops::{ControlFlow, Range};

use agpm_diag::{Code, Diagnostic, Span, codes};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use crate::formats::flow::line_start;
use crate::formats::yaml::advice::{advice, error_offset};
use crate::formats::yaml::anchors::{AnchorTable, FinishedNode};
use crate::formats::yaml::block_scalar::{block_content, block_end};
use crate::formats::yaml::frame::{ContainerStyle, ExpectedNode, YamlFrame};
use crate::formats::yaml::merge_key::{inherited, is_mergeable};
use crate::formats::yaml::offsets::CharacterOffsets;
use crate::formats::yaml::scalar::{ScalarValue, resolve};
use crate::formats::yaml::scan::{is_indicator, is_marker, property_end, quoted_end, skip_trivia};
use crate::formats::yaml::tag::{TagError, check_container, known_name, resolve_tagged};
use crate::tree::{MergeKey, NodeId, NodeKind, ReaderState};

pub(crate) fn read(reading: &mut ReaderState<'_>) {
    let range = reading.range.clone();
    let text = &reading.text[..range.end];
    let mut reader = YamlReader {
        reading,
        text,
        offsets: CharacterOffsets::new(text, range.start),
        at: range.start,
        tag: Span::at(range.start),
        frames: Vec::new(),
        stack: Vec::new(),
        anchors: AnchorTable::default(),
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

/// A scalar event.
struct ScalarEvent<'e> {
    text: &'e str,
    style: ScalarStyle,
    anchor: usize,
    tag: Option<&'e Tag>,
}

struct YamlReader<'r, 'a> {
    reading: &'r mut ReaderState<'a>,
    /// The text up to the end of the range.
    text: &'a str,
    offsets: CharacterOffsets<'a>,
    /// The position after the last understood token.
    at: usize,
    /// The most recent tag.
    tag: Span,
    frames: Vec<YamlFrame>,
    /// Children of all open containers, innermost last.
    stack: Vec<NodeId>,
    anchors: AnchorTable,
    expansion: usize,
    documents: usize,
}

impl YamlReader<'_, '_> {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) -> ControlFlow<()> {
        match event {
            Event::DocumentStart(explicit) => return self.document(explicit, span),
            Event::Alias(anchor) => return self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(
                    &mut ScalarEvent {
                        text: &text,
                        style,
                        anchor,
                        tag: tag.as_deref(),
                    },
                    span,
                );
            }
            Event::SequenceStart(anchor, tag) => {
                return self.open(NodeKind::List, anchor, tag.as_deref(), &span);
            }
            Event::MappingStart(anchor, tag) => {
                return self.open(NodeKind::Map, anchor, tag.as_deref(), &span);
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
        let at = self.offsets.byte(error.marker().index());
        let at = error_offset(self.text, at, error.info());
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

    /// The innermost open bracket.
    fn open_bracket(&self) -> Option<usize> {
        self.frames
            .iter()
            .rev()
            .find(|frame| frame.style == ContainerStyle::Flow)
            .map(|frame| frame.start)
    }

    fn unclosed(&mut self, bracket: usize) {
        let is_list = self.text[bracket..].starts_with('[');
        let (open, close) = if is_list { ('[', ']') } else { ('{', '}') };
        let span = Span::new(bracket, bracket + 1);
        let message = format!("unclosed `{open}`");
        self.error(
            &codes::YAML_SYNTAX,
            span,
            message,
            &format!("write `{close}` after the last value"),
        );
    }

    fn document(&mut self, explicit: bool, span: Range<usize>) -> ControlFlow<()> {
        self.documents += 1;
        if self.documents > 1 {
            let span = Span::new(span.start, span.end.min(self.text.len()));
            let help = "keep one document per file";
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

    /// Moves after `indicator` if it is the next token.
    fn take(&mut self, indicator: u8) {
        let next = skip_trivia(self.text, self.at);
        if self.text.as_bytes().get(next) == Some(&indicator) {
            self.at = next + 1;
        }
    }

    /// Moves after the indicator of the next node.
    fn announce(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        match (frame.expected, frame.style) {
            (ExpectedNode::Item, ContainerStyle::Block) => self.take(b'-'),
            (ExpectedNode::Item, _) => self.take(b','),
            (ExpectedNode::Key, style) => {
                if style == ContainerStyle::Flow {
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
                if style != ContainerStyle::Block || is_indicator(self.text, next, b':') {
                    self.take(b':');
                }
            }
        }
    }

    /// Moves after the anchor and the tag of the next node.
    fn properties(&mut self, count: usize) {
        for _ in 0..count {
            let start = skip_trivia(self.text, self.at);
            self.at = property_end(self.text, start);
            if self.text[start..].starts_with('!') {
                self.tag = Span::new(start, self.at);
            }
        }
    }

    fn scalar(&mut self, scalar: &mut ScalarEvent<'_>, raw: Range<usize>) {
        self.announce();
        let properties = usize::from(scalar.anchor > 0) + usize::from(scalar.tag.is_some());
        self.properties(properties);
        if scalar.style == ScalarStyle::Plain && scalar.text.is_empty() {
            if self.frames.is_empty() && properties == 0 {
                return;
            }
            // An empty key is before its colon, an empty value after it.
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
        // In unusual flow collections the parser's positions are unreliable, and those of this code are used.
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
                scalar.text = block_content(self.text, scalar.text, start, raw.end);
                (start, block_end(self.text, start, raw.end, scalar.text))
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

    fn add_scalar(&mut self, scalar: &ScalarEvent<'_>, span: Span, content: Span) {
        let is_key = self.expects_key();
        if is_key {
            self.key(scalar, span, content);
        }
        if !is_key || scalar.anchor > 0 {
            let id = self.scalar_node(scalar, span, content);
            let node = FinishedNode::scalar(id);
            self.anchors.set(scalar.anchor, node);
            if !is_key {
                self.add(node);
            }
        }
    }

    /// Keys are identified by their text, whatever its value would be.
    fn key(&mut self, scalar: &ScalarEvent<'_>, span: Span, content: Span) {
        if let Some(Err(error)) = scalar.tag.map(known_name) {
            self.report_tag(&error);
        }
        let key = self.string_node(scalar.text, span, content);
        let merges =
            scalar.text == "<<" && scalar.style == ScalarStyle::Plain && scalar.tag.is_none();
        if merges {
            self.expect(ExpectedNode::Merge(key))
        } else {
            self.add_key(key)
        }
    }

    fn add_key(&mut self, key: NodeId) {
        self.stack.push(key);
        self.expect(ExpectedNode::Value);
    }

    fn expects_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.expected == ExpectedNode::Key)
    }

    fn expect(&mut self, expected: ExpectedNode) {
        if let Some(frame) = self.frames.last_mut() {
            frame.expected = expected;
        }
    }

    fn string_node(&mut self, text: &str, span: Span, content: Span) -> NodeId {
        if self.text.get(content.range()) == Some(text) {
            self.reading.tree.verbatim(NodeKind::String, span, content)
        } else {
            self.reading.tree.decoded(NodeKind::String, span, text)
        }
    }

    fn number_node(&mut self, kind: NodeKind, number: &str, span: Span) -> NodeId {
        if self.text.get(span.range()) == Some(number) {
            self.reading.tree.verbatim(kind, span, span)
        } else {
            self.reading.tree.decoded(kind, span, number)
        }
    }

    fn scalar_node(&mut self, scalar: &ScalarEvent<'_>, span: Span, content: Span) -> NodeId {
        let plain = if scalar.style == ScalarStyle::Plain {
            resolve(scalar.text)
        } else {
            ScalarValue::String
        };
        let resolved = match scalar.tag.map(|tag| resolve_tagged(tag, scalar.text)) {
            None => plain,
            Some(Ok(resolved)) => resolved,
            Some(Err(error)) => {
                self.report_tag(&error);
                ScalarValue::String
            }
        };
        match resolved {
            ScalarValue::Null => self.reading.tree.null(span),
            ScalarValue::Bool(value) => self.reading.tree.bool(span, value),
            ScalarValue::Integer(number) => self.number_node(NodeKind::Integer, &number, span),
            ScalarValue::Float(number) => self.number_node(NodeKind::Float, &number, span),
            ScalarValue::String => self.string_node(scalar.text, span, content),
            ScalarValue::TooLarge => {
                let help = "put it in quotes if it is not a number";
                self.error(&codes::YAML_SYNTAX, span, "this number is too large", help);
                self.string_node(scalar.text, span, content)
            }
        }
    }

    fn report_tag(&mut self, error: &TagError<'_>) {
        let (message, help) = match error {
            TagError::Mismatched(name) => (
                format!("the value does not match the tag `!!{name}`"),
                "remove the tag, or write a value of that type",
            ),
            TagError::Unknown => (
                "this tag is not supported".to_owned(),
                "remove the tag; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are known",
            ),
        };
        self.error(&codes::YAML_TAG, self.tag, message, help);
    }

    fn alias(&mut self, anchor: usize, span: Range<usize>) -> ControlFlow<()> {
        self.announce();
        self.at = span.end;
        let span = Span::new(span.start, span.end);
        let Some(target) = self.anchors.get(anchor) else {
            let help = "an alias cannot be inside the value it refers to";
            self.error(&codes::YAML_ALIAS, span, "this alias contains itself", help);
            let id = self.reading.tree.null(span);
            self.add(FinishedNode::scalar(id));
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
            let key = self.reading.tree.decoded(NodeKind::String, span, &content);
            self.add_key(key);
        } else {
            self.add(FinishedNode { id, ..target });
        }
        ControlFlow::Continue(())
    }

    /// Records nodes that occur more than once.
    fn expand(&mut self, nodes: usize, span: Span) -> ControlFlow<()> {
        self.expansion = self.expansion.saturating_add(nodes);
        if self.expansion <= self.reading.limits.expansion {
            return ControlFlow::Continue(());
        }
        let message = format!(
            "aliases expand to more than {} values",
            self.reading.limits.expansion
        );
        self.error(
            &codes::YAML_ALIAS,
            span,
            message,
            "use fewer nested aliases",
        );
        ControlFlow::Break(())
    }

    fn open(
        &mut self,
        kind: NodeKind,
        anchor: usize,
        tag: Option<&Tag>,
        raw: &Range<usize>,
    ) -> ControlFlow<()> {
        self.announce();
        let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
        self.properties(properties);
        let start = skip_trivia(self.text, self.at);
        if self.frames.len() >= self.reading.limits.depth {
            self.reading.report_too_deep(Span::at(start));
            return ControlFlow::Break(());
        }
        if let Some(Err(error)) = tag.map(|tag| check_container(tag, kind)) {
            self.report_tag(&error);
        }
        // A block map whose first key is in brackets has its own empty span.
        let has_text = properties > 0 || !raw.is_empty();
        let style = match (kind, self.text.as_bytes().get(start)) {
            (NodeKind::List, Some(b'[')) | (NodeKind::Map, Some(b'{')) if has_text => {
                ContainerStyle::Flow
            }
            _ if self
                .frames
                .last()
                .is_some_and(|frame| frame.style != ContainerStyle::Block) =>
            {
                ContainerStyle::Pair
            }
            _ => ContainerStyle::Block,
        };
        if style == ContainerStyle::Block {
            self.check_indent(start);
        }
        self.at = if style == ContainerStyle::Flow {
            start + 1
        } else {
            start
        };
        self.frames.push(YamlFrame {
            style,
            start,
            base: self.stack.len(),
            anchor,
            ..YamlFrame::of(kind)
        });
        ControlFlow::Continue(())
    }

    /// The parser accepts some tabs that other parsers refuse.
    fn check_indent(&mut self, start: usize) {
        let line = line_start(self.text, start);
        if let Some(tab) = memchr::memchr(b'\t', &self.text.as_bytes()[line..start]) {
            let advice = advice("tab");
            let span = Span::new(line + tab, line + tab + 1);
            self.error(advice.code, span, advice.message, advice.help);
        }
    }

    /// Adds a finished node to its container.
    fn add(&mut self, node: FinishedNode) {
        let Some(frame) = self.frames.last_mut() else {
            self.reading.tree.root = Some(node.id);
            return;
        };
        frame.weight = frame.weight.saturating_add(node.weight);
        frame.height = frame.height.max(node.height);
        match frame.expected {
            ExpectedNode::Item => self.stack.push(node.id),
            ExpectedNode::Value => {
                self.stack.push(node.id);
                frame.expected = ExpectedNode::Key;
            }
            ExpectedNode::Nothing => frame.expected = ExpectedNode::Key,
            ExpectedNode::Merge(key) => {
                frame.expected = ExpectedNode::Key;
                self.merge(key, node.id);
            }
            ExpectedNode::Key => {
                frame.expected = ExpectedNode::Nothing;
                let span = self.reading.tree.span(node.id);
                let help = "keys are strings; quote a key that starts with a bracket";
                self.error(
                    &codes::YAML_KEY,
                    span,
                    "an object or a list cannot be a key",
                    help,
                );
            }
        }
    }

    fn merge(&mut self, key: NodeId, value: NodeId) {
        let tree = &self.reading.tree;
        let good = is_mergeable(tree, value);
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
                "duplicate `<<` in a mapping",
                "use one with a list: `<<: [*first, *second]`",
            )
        } else {
            (
                "`<<` needs a mapping or a list of mappings",
                "name a mapping by its alias, or put the key `\"<<\"` in quotes",
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
        if frame.style == ContainerStyle::Flow {
            self.take(b',');
            let close = if frame.expected == ExpectedNode::Item {
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

    /// Creates the node of a complete container.
    fn finish(&mut self, frame: YamlFrame) -> ControlFlow<()> {
        let span = Span::new(frame.start.min(self.at), self.at);
        let children = self.stack.split_off(frame.base);
        let mut flow = ControlFlow::Continue(());
        let id = if frame.expected == ExpectedNode::Item {
            self.reading.tree.list(span, &children)
        } else {
            self.reading.report_duplicates(&children);
            let (entries, counted) = self.inherit(&frame, children);
            flow = counted;
            let map = self.reading.tree.map(span, &entries);
            let merges = frame.merges.iter().map(|(key, value)| MergeKey {
                map,
                key: *key,
                value: *value,
            });
            self.reading.tree.sharing.merges.extend(merges);
            map
        };
        let node = FinishedNode {
            id,
            weight: frame.weight,
            height: frame.height + 1,
        };
        self.anchors.set(frame.anchor, node);
        self.add(node);
        flow
    }

    /// The entries of an object with those of its `<<`, which take the position of the `<<`.
    fn inherit(
        &mut self,
        frame: &YamlFrame,
        mut children: Vec<NodeId>,
    ) -> (Vec<NodeId>, ControlFlow<()>) {
        let Some((key, value)) = frame.merges.first().copied() else {
            return (children, ControlFlow::Continue(()));
        };
        let found = inherited(&self.reading.tree, self.reading.text, value, &children);
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

    /// Finishes the containers that an error left open.
    fn abandon(&mut self) {
        while let Some(mut frame) = self.frames.pop() {
            if frame.expected == ExpectedNode::Value {
                self.stack.pop();
            }
            frame.merges.clear();
            let _ = self.finish(frame);
        }
    }
}
