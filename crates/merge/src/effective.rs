//! One merged file, and where all of it came from.

use std::ops::Range;
use std::sync::Arc;

use crate::{
    BodySegment, LeafOperation, MergedContent, MergedFile, MergedLeaf, Resolution, ShadowedValue,
};
use agpm_diag::SourceMap;
use agpm_model::{LayerName, RelativePath};
use agpm_text::{Pointer, Value, to_value};

use crate::error::EngineError;
use crate::finding::Finding;

/// One file out of the same file in several layers.
#[derive(Debug)]
pub struct EffectiveFile {
    path: RelativePath,
    merged: MergedFile,
    sources: Arc<SourceMap>,
}

/// A value of the result with its provenance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedValue {
    /// Where it is in the result.
    pub pointer: Pointer,
    /// The value.
    pub value: Value,
    /// The layer that it came from.
    pub layer: LayerName,
    /// The line of that layer's file, from one.
    pub line: usize,
    /// The operation that put it there.
    pub operation: LeafOperation,
    /// The values of lower layers there, highest first.
    pub overrides: Vec<OverriddenValue>,
}

/// A value that another one hides.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OverriddenValue {
    /// The value.
    pub value: Value,
    /// The layer that it came from.
    pub layer: LayerName,
    /// The line of that layer's file, from one.
    pub line: usize,
}

/// A part of text, and the layer that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOrigin {
    /// The layer.
    pub layer: LayerName,
    /// The bytes of the result's text, or of its body in Markdown.
    pub bytes: Range<usize>,
}

impl EffectiveFile {
    pub(crate) fn new(path: RelativePath, merged: MergedFile, sources: Arc<SourceMap>) -> Self {
        EffectiveFile {
            path,
            merged,
            sources,
        }
    }

    /// Its path in the layers.
    pub fn path(&self) -> &RelativePath {
        &self.path
    }

    /// The result in the format of the lowest layer's file, with its comments and order.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.toml", "# Ask first.\nsize = 1\nname = 'x'\n")])
    ///     .layer("me", [("a.toml", "size = 2\n")])
    ///     .merge()?;
    /// let file = merged.file("a.toml").expect("both have it");
    /// assert_eq!(file.text()?, "# Ask first.\nsize = 2\nname = 'x'\n");
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The format cannot express the result, or the result is not text.
    pub fn text(&self) -> Result<String, EngineError> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes).map_err(|_| EngineError::NotText {
            path: self.path.clone(),
        })
    }

    /// The same as bytes, for files that are not text too.
    ///
    /// ```
    /// # use agpm_merge::Engine;
    /// let merged = Engine::builder().layer("me", [("a.bin", [0xff, 0x00])]).merge()?;
    /// assert_eq!(merged.file("a.bin").expect("it is there").bytes()?, [0xff, 0x00]);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The format cannot express the result.
    pub fn bytes(&self) -> Result<Vec<u8>, EngineError> {
        match self.merged.render() {
            Ok((rendered, _)) => Ok(rendered.to_bytes()),
            Err(diagnostic) => Err(EngineError::Unprintable {
                finding: Box::new(Finding::of(&diagnostic, &self.sources)),
            }),
        }
    }

    /// The result as one value; Markdown as an object of `front_matter` and `body`. Nothing for bytes that are not text.
    ///
    /// ```
    /// # use agpm_merge::{Engine, Value};
    /// let merged = Engine::builder().layer("me", [("a.yaml", "x: [1, 2]\n")]).merge()?;
    /// let value = merged.file("a.yaml").expect("it is there").value().expect("it is YAML");
    /// assert_eq!(value.to_json(), "{\n  \"x\": [\n    1,\n    2\n  ]\n}\n");
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    pub fn value(&self) -> Option<Value> {
        self.merged.value()
    }

    /// Every value without children, in order, with its provenance. In Markdown, those of the front matter.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.json", r#"{"x": 1, "y": {"z": 2}}"#)])
    ///     .layer("me", [("a.json", r#"{"y": {"z": 3}}"#)])
    ///     .merge()?;
    /// let file = merged.file("a.json").expect("both have it");
    /// let origins: Vec<String> = file
    ///     .leaves()
    ///     .map(|leaf| format!("{} from {}:{}", leaf.pointer, leaf.layer, leaf.line))
    ///     .collect();
    /// assert_eq!(origins, ["/x from team:1", "/y/z from me:1"]);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    pub fn leaves(&self) -> impl Iterator<Item = ExplainedValue> {
        self.leaves_under(&Pointer::root()).into_iter()
    }

    /// Where one value came from: the one at a JSON Pointer, or the first of those inside of it.
    ///
    /// ```
    /// use agpm_merge::{Engine, LeafOperation};
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.yaml", "model: small\n")])
    ///     .layer("me", [("a.yaml", "\nmodel: large\n")])
    ///     .merge()?;
    /// let model = merged.file("a.yaml").expect("both have it").explain("/model")?;
    /// assert_eq!((model.layer.as_str(), model.line), ("me", 2));
    /// assert_eq!(model.operation, LeafOperation::Replace);
    /// assert_eq!(model.overrides[0].value, "small".into());
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The pointer is malformed, or nothing exists.
    pub fn explain(&self, pointer: &str) -> Result<ExplainedValue, EngineError> {
        let malformed = |_| EngineError::Pointer {
            pointer: pointer.to_owned(),
        };
        let at: Pointer = pointer.parse().map_err(malformed)?;
        let nothing = || EngineError::NoValue {
            pointer: pointer.to_owned(),
        };
        self.leaves_under(&at)
            .into_iter()
            .next()
            .ok_or_else(nothing)
    }

    /// Which layer each part of text came from: of plain text, or of the body of Markdown.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("AGENTS.md", "Be brief.\n")])
    ///     .layer("me", [("AGENTS.md", "Ask first.\n")])
    ///     .merge()?;
    /// let file = merged.file("AGENTS.md").expect("both have it");
    /// let layers: Vec<String> = file.text_origins().map(|part| part.layer.to_string()).collect();
    /// assert_eq!(layers, ["team", "me"]);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    pub fn text_origins(&self) -> impl Iterator<Item = TextOrigin> {
        let segments: &[BodySegment] = match &self.merged.merged {
            MergedContent::Markdown { segments, .. } | MergedContent::Text { segments, .. } => {
                segments
            }
            MergedContent::Structured(_) | MergedContent::Whole(_) => &[],
        };
        segments.iter().map(|segment| TextOrigin {
            layer: self.merged.files[segment.layer as usize].layer.clone(),
            bytes: segment.to.clone(),
        })
    }

    fn resolution(&self) -> Option<&Resolution> {
        match &self.merged.merged {
            MergedContent::Structured(resolution)
            | MergedContent::Markdown {
                front: resolution, ..
            } => Some(resolution),
            MergedContent::Text { .. } | MergedContent::Whole(_) => None,
        }
    }

    fn leaves_under(&self, under: &Pointer) -> Vec<ExplainedValue> {
        let mut leaves = Vec::new();
        if let Some(resolution) = self.resolution() {
            resolution.each_leaf(under, &mut |leaf| {
                leaves.push(self.explained(resolution, leaf));
            });
        }
        leaves
    }

    fn explained(&self, resolution: &Resolution, leaf: MergedLeaf<'_>) -> ExplainedValue {
        let overridden = |shadow: &ShadowedValue| {
            let node = resolution.node(shadow.origin);
            OverriddenValue {
                value: to_value(node),
                layer: layer(resolution, shadow.origin.layer),
                line: self.sources.line(node.source(), node.span().start),
            }
        };
        ExplainedValue {
            pointer: leaf.pointer,
            value: to_value(leaf.value),
            layer: layer(resolution, leaf.layer),
            line: self
                .sources
                .line(leaf.value.source(), leaf.value.span().start),
            operation: leaf.operation,
            overrides: leaf.shadows.iter().map(overridden).collect(),
        }
    }
}

fn layer(resolution: &Resolution, at: u32) -> LayerName {
    resolution.contributions()[at as usize].layer.clone()
}
