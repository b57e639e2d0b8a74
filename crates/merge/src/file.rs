//! Merges one file of many layers, in any format. Used by install, `agpm merge` and `agpm explain`.

use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{MapRule, Strategy};
use agpm_text::{Document, EditError, Format, Limits, TreeView, Value, parse, print, to_value};

use crate::arguments::OutputFormat;
use crate::body::{BodyJoint, BodyPart, BodySegment, join};
use crate::combine::Combine;
use crate::contribution::Contribution;
use crate::file_bytes::FileBytes;
use crate::fold::fold;
use crate::layer_file::{ContentFamily, LayerContent, LayerFile};
use crate::policy::MergePolicy;
use crate::resolution::{Resolution, ResolvedRef};

/// A merged file with its provenance.
#[derive(Debug)]
pub struct MergedFile {
    /// The merged files, lowest first.
    pub files: Vec<LayerFile>,
    /// The result.
    pub merged: MergedContent,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result, by kind of content.
#[derive(Debug)]
pub enum MergedContent {
    /// A value with the provenance of every leaf.
    Structured(Resolution),
    /// Front matter with provenance; the body as a string with segments.
    Markdown {
        /// The front matter.
        front: Resolution,
        /// The body.
        body: String,
        /// The layer of each range of the body.
        segments: Vec<BodySegment>,
    },
    /// A string with segments.
    Text {
        /// The text.
        body: String,
        /// The layer of each range of the text.
        segments: Vec<BodySegment>,
    },
    /// One of the files, unchanged.
    Whole(usize),
}

/// Merges files of one name, lowest layer first; `None` if there are none.
pub fn merge_files(
    files: Vec<LayerFile>,
    strategy: &Strategy,
    combine: Option<&dyn Combine>,
) -> Option<MergedFile> {
    let last = files.len().checked_sub(1)?;
    let family = family_of(&files);
    let mut diagnostics = Vec::new();
    let called_alike = |file: &LayerFile| extension_of(file) == extension_of(&files[last]);
    let differs = |file: &&LayerFile| {
        file.family() != family && !(family == ContentFamily::Opaque && called_alike(file))
    };
    if let Some(differing) = files.iter().find(differs) {
        diagnostics.push(mixed_formats(differing, &files[last]));
        return Some(MergedFile {
            merged: MergedContent::Whole(last),
            files,
            diagnostics,
        });
    }
    let whole =
        strategy.maps == MapRule::Replace && strategy.rules.is_empty() && strategy.unset.is_empty();
    let merged = match family {
        ContentFamily::Structured => MergedContent::Structured(resolve(&files, strategy, combine)),
        ContentFamily::Opaque => {
            if last > 0 && files.iter().any(|file| file.bytes() != files[last].bytes()) {
                diagnostics.push(opaque(&files));
            }
            MergedContent::Whole(last)
        }
        ContentFamily::Text if whole || last == 0 => MergedContent::Whole(last),
        ContentFamily::Markdown => {
            let from = if whole { last } else { 0 };
            let (body, segments) =
                join_bodies(&files, from, BodyJoint::Markdown(strategy.separator));
            MergedContent::Markdown {
                front: resolve(&files[from..], strategy, combine),
                body,
                segments,
            }
        }
        ContentFamily::Text => {
            let (body, segments) = join_bodies(&files, 0, BodyJoint::Text);
            MergedContent::Text { body, segments }
        }
    };
    if let MergedContent::Structured(resolution)
    | MergedContent::Markdown {
        front: resolution, ..
    } = &merged
    {
        diagnostics.extend(resolution.diagnostics().iter().cloned());
    }
    Some(MergedFile {
        files,
        merged,
        diagnostics,
    })
}

/// The content family of the files: that of the highest, unless one of them is binary despite its name.
fn family_of(files: &[LayerFile]) -> ContentFamily {
    let highest = &files[files.len() - 1];
    let is_binary = |file: &LayerFile| {
        file.family() == ContentFamily::Opaque && extension_of(file) == extension_of(highest)
    };
    if files.iter().any(is_binary) {
        ContentFamily::Opaque
    } else {
        highest.family()
    }
}

fn extension_of(file: &LayerFile) -> Option<String> {
    file.file.rsplit('.').next().map(str::to_ascii_lowercase)
}

fn resolve(files: &[LayerFile], strategy: &Strategy, combine: Option<&dyn Combine>) -> Resolution {
    let contribution = |file: &LayerFile| {
        Some(Contribution {
            layer: file.layer.clone(),
            document: file.document()?.clone(),
        })
    };
    fold(
        files.iter().filter_map(contribution).collect(),
        &MergePolicy::merge(strategy.clone()),
        combine,
    )
}

fn join_bodies(files: &[LayerFile], from: usize, joint: BodyJoint) -> (String, Vec<BodySegment>) {
    let newline = if files[0].text().contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let parts: Vec<BodyPart<'_>> = files
        .iter()
        .enumerate()
        .skip(from)
        .map(|(layer, file)| BodyPart {
            layer: layer as u32,
            name: &file.layer,
            text: file.text(),
            range: file.body().range(),
        })
        .collect();
    let mut body = String::new();
    let segments = join(&parts, joint, newline, &mut body);
    (body, segments)
}

fn mixed_formats(first: &LayerFile, second: &LayerFile) -> Diagnostic {
    let message = format!(
        "layers `{}` and `{}` have formats that cannot be merged",
        first.layer, second.layer
    );
    Diagnostic::new(&codes::MERGE_MIXED_FORMATS, message)
        .in_file(second.file.as_str())
        .in_layer(second.layer.as_str())
        .help(
            "JSON, YAML and TOML merge with each other; Markdown and plain text merge only with the same format",
        )
}

fn opaque(files: &[LayerFile]) -> Diagnostic {
    let names: Vec<String> = files
        .iter()
        .map(|file| format!("`{}`", file.layer))
        .collect();
    let highest = &files[files.len() - 1];
    let message = format!(
        "this format cannot be merged: layer `{}` wins",
        highest.layer
    );
    Diagnostic::new(&codes::MERGE_OPAQUE, message)
        .detail(format!("layers with this file: {}", names.join(", ")))
        .in_file(highest.file.as_str())
        .in_layer(highest.layer.as_str())
        .help("keep the file in one layer, or give it a known extension")
}

impl MergedFile {
    /// The merged file in another format, or in that of the lowest file.
    pub fn render_as(
        &self,
        format: Option<OutputFormat>,
    ) -> Result<(FileBytes, Option<Diagnostic>), Diagnostic> {
        let target = format.map(OutputFormat::format);
        // Comments may stay in formats that have them; plain JSON has none.
        let target =
            target.filter(|target| *target == Format::Json || self.format() != Some(*target));
        match target {
            Some(format) => Ok((FileBytes::Text(self.print(format)?.into()), None)),
            None => self.render(),
        }
    }

    /// The result in the format of the lowest file, with its comments and order; a warning if they could not be
    /// preserved.
    pub fn render(&self) -> Result<(FileBytes, Option<Diagnostic>), Diagnostic> {
        match &self.merged {
            MergedContent::Whole(index) => Ok((self.files[*index].as_it_is(), None)),
            MergedContent::Text { body, .. } => Ok((FileBytes::Text(body.as_str().into()), None)),
            MergedContent::Structured(resolution) => resolution.root().map_or_else(
                || Ok((self.files[0].as_it_is(), None)),
                |root| self.rewritten(root),
            ),
            MergedContent::Markdown {
                front,
                body,
                segments,
            } => {
                if let Some(file) = self.only_file(front, segments) {
                    return Ok((file.as_it_is(), None));
                }
                let lowest = self.document(0);
                let (text, warning) = match front.root() {
                    Some(root) => {
                        let (text, warning) = self.rewritten(root)?;
                        (
                            String::from_utf8_lossy(&text.to_bytes()).into_owned(),
                            warning,
                        )
                    }
                    None => (lowest.text().to_string(), None),
                };
                // Only the front matter is used from there: its body does not matter.
                let head =
                    parse(lowest.source(), text, Format::Markdown, Limits::default()).document;
                let whole = [&head.text()[..head.body().start as usize], body].concat();
                Ok((FileBytes::Text(whole.into()), warning))
            }
        }
    }

    /// The format that [`MergedFile::render`] returns, if it is a known one.
    pub fn format(&self) -> Option<Format> {
        self.files[0].document().map(|document| document.format())
    }

    /// The result in another format.
    pub fn print(&self, format: Format) -> Result<String, Diagnostic> {
        match &self.merged {
            MergedContent::Structured(resolution) => {
                let printed = match resolution.root() {
                    Some(root) => print(root, format),
                    None => print(&Value::Map(Vec::new()), format),
                };
                printed.map_err(|error| self.unprintable(&error))
            }
            _ => {
                let value = self.value().ok_or_else(|| self.not_text())?;
                print(&value, format).map_err(|error| self.unprintable(&error))
            }
        }
    }

    /// The result as one value; Markdown as an object of `front_matter` and `body`. `None` for binary content.
    pub fn value(&self) -> Option<Value> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().map(Value::String);
        let page = |front: Option<Value>, body: &str| {
            Value::map([
                ("front_matter", front.unwrap_or(Value::Null)),
                ("body", body.into()),
            ])
        };
        match &self.merged {
            MergedContent::Structured(resolution) => resolution.root().map(to_value),
            MergedContent::Markdown { front, body, .. } => {
                Some(page(front.root().map(to_value), body))
            }
            MergedContent::Text { body, .. } => Some(Value::String(body.clone())),
            MergedContent::Whole(index) => match &self.files[*index].content {
                LayerContent::Document(document) if document.format() == Format::Markdown => {
                    Some(page(
                        document.root().map(to_value),
                        &document.text()[document.body().range()],
                    ))
                }
                LayerContent::Document(document) => document.root().map(to_value),
                _ => text(self.files[*index].bytes()),
            },
        }
    }

    fn document(&self, index: usize) -> &Arc<Document> {
        self.files[index]
            .document()
            .expect("structured files are documents")
    }

    /// The only file that a Markdown result comes from, if any.
    fn only_file(&self, front: &Resolution, segments: &[BodySegment]) -> Option<&LayerFile> {
        let first = segments.first().map_or(0, |segment| segment.layer);
        let file = self.files.get(first as usize)?;
        let same_body = segments.iter().all(|segment| segment.layer == first);
        let file_root = file.document()?.root();
        let same_front = match (front.root(), file_root) {
            (None, None) => true,
            (Some(root), Some(file_root)) => root.node().is_some_and(|node| {
                node.id() == file_root.id() && std::ptr::eq(node.document(), file_root.document())
            }),
            _ => false,
        };
        (same_body && same_front).then_some(file)
    }

    /// The lowest file's text with this value; the text of another layer if everything comes from there.
    fn rewritten(
        &self,
        root: ResolvedRef<'_>,
    ) -> Result<(FileBytes, Option<Diagnostic>), Diagnostic> {
        let lowest = self.document(0);
        if let Some(node) = root.node()
            && node.document().root().map(|r| r.id()) == Some(node.id())
            && node.document().format() == lowest.format()
        {
            return Ok((FileBytes::Text(node.document().text().clone()), None));
        }
        match lowest.rewrite(root) {
            Ok(text) => Ok((FileBytes::Rewritten(text), None)),
            Err(error @ EditError::Unrepresentable { .. }) => Err(self.unprintable(&error)),
            Err(error) => {
                let text = self
                    .print_from_scratch(root)
                    .map_err(|error| self.unprintable(&error))?;
                Ok((FileBytes::Text(text.into()), Some(self.layout_lost(&error))))
            }
        }
    }

    /// The value in the lowest file's format, without its comments and layout.
    fn print_from_scratch(&self, root: ResolvedRef<'_>) -> Result<String, EditError> {
        match self.document(0).format() {
            Format::Markdown => Ok(format!("---\n{}---\n", print(root, Format::Yaml)?)),
            format => print(root, format),
        }
    }

    fn layout_lost(&self, error: &EditError) -> Diagnostic {
        let message = "the result loses the comments and layout of the lowest file";
        Diagnostic::new(&codes::MERGE_LAYOUT, message)
            .detail(error.to_string())
            .in_file(self.files[0].file.as_str())
            .in_layer(self.files[0].layer.as_str())
            .help("repeat the value instead of using an alias, or keep the file in one layer")
    }

    fn unprintable(&self, error: &EditError) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(
            &codes::TEXT_UNREPRESENTABLE,
            format!("the result cannot be written: {error}"),
        )
        .help("choose another format with `--format`, or remove the value");
        if let EditError::Unrepresentable { at, .. } = error
            && let MergedContent::Structured(resolution)
            | MergedContent::Markdown {
                front: resolution, ..
            } = &self.merged
            && let Some(node) = resolution.at(at).and_then(TreeView::node)
        {
            diagnostic = diagnostic.at(node.source(), node.span(), "from here");
        } else {
            diagnostic = diagnostic.in_file(self.files[0].file.as_str());
        }
        diagnostic
    }

    fn not_text(&self) -> Diagnostic {
        let file = &self.files[self.files.len() - 1];
        Diagnostic::new(&codes::TEXT_UNREPRESENTABLE, "the result is binary")
            .in_file(file.file.as_str())
            .help("remove `--format` to get the bytes unchanged")
    }
}
