//! Reads the declarations of a resource.

use agpm_diag::{Diagnostic, Notes, SourceId, Span, codes, has_errors};
use agpm_model::{
    Declarations, DeclaredDependency, DeclaringFile, ResourceExtent, ResourceOrigin, ResourcePath,
    SKILL_FILE, Unit, declarations, read_declarations,
};
use agpm_render::{
    RenderError, RenderedTemplate, TemplateFiles, TemplateNames, TemplateRenderer, has_tags,
    templating,
};
use agpm_text::{Document, Format, Limits, Value, decode, parse};

/// The key of all declarations.
const KEY: &[u8] = b"dependencies";

/// A resource whose declarations are read.
pub struct DeclaringResource<'a> {
    /// The resource.
    pub unit: &'a Unit,
    /// The version, for messages.
    pub label: &'a str,
    /// The bytes of the declaring resource.
    pub bytes: &'a [u8],
    /// The names that templates in declarations may use.
    pub names: &'a TemplateNames,
    /// Fills templates in declarations.
    pub renderer: &'a TemplateRenderer,
}

impl DeclaringResource<'_> {
    /// Reads the declarations; mistakes are added to the notes.
    pub fn read(&self, notes: &mut Notes) -> Vec<DeclaredDependency> {
        let format = match format_of(self.unit) {
            Some(format @ (Format::Markdown | Format::Jsonc)) => format,
            _ => return Vec::new(),
        };
        if !contains(self.bytes, KEY) {
            return Vec::new();
        }
        let name = self.file_name();
        let source = notes.sources.add(
            name.clone(),
            String::from_utf8_lossy(text_with_declarations(self.bytes, format)).into_owned(),
        );
        let text = match decode(source, self.bytes.to_vec()) {
            Ok(text) => text,
            Err(diagnostic) => {
                notes.diagnostics.push(diagnostic);
                return Vec::new();
            }
        };
        let parsed = parse(source, text, format, Limits::default());
        if has_errors(&parsed.diagnostics) {
            return self.broken(&parsed.document, parsed.diagnostics, &name, notes);
        }
        if let Some(declared) = self.as_filled(&parsed.document, &name, notes) {
            return declared;
        }
        let mut declared = Vec::new();
        for node in parsed.document.root().into_iter().flat_map(declarations) {
            let written = &parsed.document.text()[node.node.span().range()];
            let is_template =
                has_tags(written) && parsed.document.root().and_then(templating) != Some(false);
            declared.extend(if is_template {
                self.rendered(&parsed.document, node, &name, notes)
            } else {
                self.take(node, notes)
            });
        }
        declared
    }

    /// The declarations of front matter after rendering it, if template statements may change them; `None` if that is
    /// impossible before everything is resolved.
    fn as_filled(
        &self,
        document: &Document,
        name: &str,
        notes: &mut Notes,
    ) -> Option<Vec<DeclaredDependency>> {
        let front = &document.text()[..document.body().start as usize];
        let is_template = document.root().and_then(templating) != Some(false);
        if document.format() != Format::Markdown || !front.contains("{%") || !is_template {
            return None;
        }
        let filled = match self
            .renderer
            .render(front, &self.names(), &TemplateFiles::default())
        {
            Ok(RenderedTemplate::Text { text, .. }) => text,
            _ => return None,
        };
        let source = notes
            .sources
            .add(format!("{name}, rendered"), filled.clone());
        let parsed = parse(source, filled, Format::Markdown, Limits::default());
        let nodes = parsed
            .document
            .root()
            .filter(|_| !has_errors(&parsed.diagnostics))?;
        Some(
            declarations(nodes)
                .flat_map(|node| self.take(node, notes))
                .collect(),
        )
    }

    /// Reports front matter that is invalid YAML unless a template makes it valid. If it does not mention dependencies,
    /// other code reports it.
    fn broken(
        &self,
        document: &Document,
        found: Vec<Diagnostic>,
        name: &str,
        notes: &mut Notes,
    ) -> Vec<DeclaredDependency> {
        let text = document.text();
        let front = &text[..document.body().start as usize];
        if document.format() == Format::Markdown
            && has_tags(front)
            && front.trim_end().ends_with("---")
        {
            let Some(rendered) = self.fill(document, 0, front, notes) else {
                return Vec::new();
            };
            let source = notes
                .sources
                .add(format!("{name}, rendered"), rendered.clone());
            let parsed = parse(source, rendered, Format::Markdown, Limits::default());
            let failed = has_errors(&parsed.diagnostics);
            notes.diagnostics.extend(parsed.diagnostics);
            let nodes = parsed
                .document
                .root()
                .filter(|_| !failed)
                .into_iter()
                .flat_map(declarations);
            return nodes.flat_map(|node| self.take(node, notes)).collect();
        }
        // A key in prose declares nothing. Front matter of another format gets a warning where it is written.
        if document.format() != Format::Markdown || front.lines().any(declares) {
            notes.diagnostics.extend(found);
        }
        Vec::new()
    }

    /// Renders declarations that contain templates, and reads them again.
    fn rendered(
        &self,
        document: &Document,
        declarations: Declarations<'_>,
        name: &str,
        notes: &mut Notes,
    ) -> Vec<DeclaredDependency> {
        let range = declarations.node.span().range();
        let text = document.text();
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = " ".repeat(range.start - line);
        let Some(filled) = self.fill(document, range.start, &text[range], notes) else {
            return Vec::new();
        };
        let format = if document.format() == Format::Jsonc {
            Format::Jsonc
        } else {
            Format::Yaml
        };
        let filled = format!("{indent}{filled}");
        let source = notes
            .sources
            .add(format!("{name}, rendered"), filled.clone());
        let parsed = parse(source, filled, format, Limits::default());
        notes.diagnostics.extend(parsed.diagnostics);
        let filled = parsed.document.root().map(|node| Declarations {
            node,
            ..declarations
        });
        filled
            .map(|filled| self.take(filled, notes))
            .unwrap_or_default()
    }

    fn take(&self, declarations: Declarations<'_>, notes: &mut Notes) -> Vec<DeclaredDependency> {
        let file = match self.unit.origin {
            ResourceOrigin::Source(_) => DeclaringFile::Source,
            ResourceOrigin::Local | ResourceOrigin::Manifest => DeclaringFile::Project,
        };
        let (declared, diagnostics) = read_declarations(declarations, file);
        notes.diagnostics.extend(diagnostics);
        declared
    }

    /// The file that messages name; for a skill, its `SKILL.md`.
    fn file_name(&self) -> String {
        match self.unit.extent {
            ResourceExtent::File => format!("{}@{}", self.unit, self.label),
            ResourceExtent::Directory => format!("{}/{SKILL_FILE}@{}", self.unit, self.label),
            ResourceExtent::Plugin => format!("{}@{}", self.unit, self.label),
        }
    }

    /// The template names that are known before anything is resolved, without the final name and path.
    fn names(&self) -> TemplateNames {
        let source = match &self.unit.origin {
            ResourceOrigin::Source(name) => name.as_str(),
            ResourceOrigin::Local | ResourceOrigin::Manifest => "",
        };
        let names = [
            ("type", ""),
            ("name", self.unit.path.stem()),
            ("install_path", ""),
            ("source", source),
            ("version", self.label),
            ("resolved_commit", self.label),
            ("path", self.unit.path.as_str()),
        ];
        self.names.with(
            &["agpm", "resource"],
            &Value::map(names.map(|(key, text)| (key, text.into()))),
        )
    }

    fn fill(
        &self,
        document: &Document,
        start: usize,
        text: &str,
        notes: &mut Notes,
    ) -> Option<String> {
        let diagnostic = match self
            .renderer
            .render(text, &self.names(), &TemplateFiles::default())
        {
            Ok(RenderedTemplate::Text { text, .. }) => return Some(text),
            Err(error) => template_error(document.source(), start, error),
            Ok(RenderedTemplate::Needs(_)) => {
                let message = "declared dependencies cannot use the content of a file";
                Diagnostic::new(&codes::RESOURCE_TEMPLATE, message)
                    .at(document.source(), Span::at(start), "")
                    .help("use project variables")
            }
        };
        notes.diagnostics.push(diagnostic);
        None
    }
}

/// Whether a line of front matter starts a declaration: a key of agpm with an object after it.
fn declares(line: &str) -> bool {
    let key = ["dependencies", "agpm"]
        .iter()
        .find_map(|key| line.strip_prefix(key));
    let value = key
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start);
    value.is_some_and(|value| value.is_empty() || value.starts_with(['{', '#']))
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

fn is_below(directory: &str, path: &ResourcePath) -> bool {
    path.as_str()
        .strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// The reason why a declared path is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapedPath;

/// The format of a unit's file, if it has fields; for a skill, that of its `SKILL.md`.
pub fn format_of(unit: &Unit) -> Option<Format> {
    match (unit.extent, &unit.origin) {
        (ResourceExtent::Directory, _) => Some(Format::Markdown),
        (ResourceExtent::Plugin, _) => None,
        (_, ResourceOrigin::Manifest) => Some(Format::Jsonc),
        _ => Format::of_file(unit.path.file_name()).filter(|format| *format != Format::Csv),
    }
}

/// Whether a local file may need another one. A file of the project cannot need files elsewhere on the machine; one
/// outside was named by the manifest, and may need its siblings. Absolute paths are never accepted.
fn may_need(parent: &ResourcePath, path: &ResourcePath) -> bool {
    let near = !path.as_str().starts_with('/') || parent.as_str().starts_with('/');
    !path.leaves_directory()
        || is_below(parent.directory(), path)
        || parent.leaves_directory() && near
}

/// The unit of a declared path: from the root of the source, or from the declaring file.
pub fn declared_unit(
    parent: &Unit,
    declared: &DeclaredDependency,
    exists: &dyn Fn(&str) -> bool,
) -> Result<Unit, EscapedPath> {
    let path = declared.kind.directory_of(declared.path.trim());
    // The declaring file of a skill is in its directory.
    let directory = match parent.extent {
        ResourceExtent::File => parent.path.directory(),
        ResourceExtent::Directory | ResourceExtent::Plugin => parent.path.in_tree(),
    };
    let beside = |path: &str| match directory {
        "" => path.to_owned(),
        directory => format!("{directory}/{path}"),
    };
    let relative = path.starts_with("./") || path.starts_with("../");
    let bare = !path.contains('/');
    let chosen = match (relative, bare) {
        (true, _) => beside(path),
        (false, true) if !exists(path) && exists(&beside(path)) => beside(path),
        _ => path.to_owned(),
    };
    // Steps up are resolved before the path is checked: `agents/../snippets/x.md` stays inside.
    let plain = ResourcePath::local(&chosen).map_err(|_| EscapedPath)?;
    let path = match parent.origin {
        ResourceOrigin::Source(_) => {
            ResourcePath::in_source(plain.as_str()).map_err(|_| EscapedPath)?
        }
        ResourceOrigin::Local if may_need(&parent.path, &plain) => plain,
        ResourceOrigin::Local | ResourceOrigin::Manifest => return Err(EscapedPath),
    };
    Ok(Unit {
        origin: parent.origin.clone(),
        path,
        extent: declared.kind.extent(),
        marketplace: None,
    })
}

/// The finding about a failing template.
pub fn template_error(source: SourceId, start: usize, error: RenderError) -> Diagnostic {
    let range = error.range.unwrap_or(0..0);
    Diagnostic::new(&codes::RESOURCE_TEMPLATE, error.message)
        .at(
            source,
            Span::new(start + range.start, start + range.end),
            "",
        )
        .help(error.help)
}

/// The part of a file that messages about its declarations can show: of Markdown, the front matter. Thousands of files are
/// kept for messages, and their bodies would be most of the memory of an install.
fn text_with_declarations(bytes: &[u8], format: Format) -> &[u8] {
    // The place of bytes that are not text is reported too, wherever they are.
    if format != Format::Markdown || std::str::from_utf8(bytes).is_err() {
        return bytes;
    }
    let mut end = 0;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        end += line.len();
        let is_fence = line.trim_ascii_end() == b"---";
        match number {
            0 if !is_fence => return bytes,
            0 => {}
            _ if is_fence => return &bytes[..end],
            _ => {}
        }
    }
    bytes
}
