/// A format whose structure agpm knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// RFC 8259 and nothing else.
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

/// Extensions and the formats that they are read as. `.json` may hold comments: the clients write such files.
const ENDINGS: &[(&str, Format)] = &[
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
        ENDINGS
            .iter()
            .find(|(known, _)| *known == extension)
            .map(|(_, format)| *format)
    }

    /// The name that users know.
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
