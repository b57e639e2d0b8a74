/// A format that agpm can parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON as in RFC 8259.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// YAML 1.2, core schema, one document.
    Yaml,
    /// TOML 1.1.
    Toml,
    /// Comma-separated values with a header line.
    Csv,
    /// Markdown with YAML front matter.
    Markdown,
}

/// File extensions and their formats. `.json` may have comments: clients write such files.
const EXTENSIONS: &[(&str, Format)] = &[
    ("json", Format::Jsonc),
    ("jsonc", Format::Jsonc),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("toml", Format::Toml),
    ("csv", Format::Csv),
    ("md", Format::Markdown),
    ("mdc", Format::Markdown),
    ("markdown", Format::Markdown),
];

impl Format {
    /// The format of a file, by the extension of its name.
    pub fn of_file(name: &str) -> Option<Format> {
        let extension = name
            .rsplit(['/', '\\'])
            .next()?
            .rsplit_once('.')?
            .1
            .to_ascii_lowercase();
        EXTENSIONS
            .iter()
            .find(|(known_extension, _)| *known_extension == extension)
            .map(|(_, format)| *format)
    }

    /// The name as users know it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "JSON",
            Format::Jsonc => "JSON with comments",
            Format::Yaml => "YAML",
            Format::Toml => "TOML",
            Format::Csv => "CSV",
            Format::Markdown => "Markdown",
        }
    }
}
