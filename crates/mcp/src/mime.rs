//! Media types by the extension of a file's name.

const BY_ENDING: &[(&str, &str)] = &[
    ("cjs", "text/javascript"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("markdown", "text/markdown"),
    ("md", "text/markdown"),
    ("mdc", "text/markdown"),
    ("mjs", "text/javascript"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("sh", "text/x-shellscript"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/typescript"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// The media type of a file of that name.
pub(crate) fn mime_of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    let known = BY_ENDING
        .iter()
        .find(|(known, _)| Some(*known) == ending.as_deref());
    known.map_or("text/plain", |(_, mime)| mime)
}

/// The media type of bytes that are not text.
pub(crate) fn mime_of_bytes(path: &str) -> &'static str {
    match mime_of(path) {
        image if image.starts_with("image/") => image,
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell() {
        let found = ["a/b.md", "B.YAML", "c", "d.x/e", ".sh", "f.csv"].map(mime_of);
        let expected = [
            "text/markdown",
            "application/yaml",
            "text/plain",
            "text/plain",
            "text/x-shellscript",
            "text/csv",
        ];
        assert_eq!(found, expected);
        assert_eq!(mime_of_bytes("a.md"), "application/octet-stream");
        assert_eq!(mime_of_bytes("a.png"), "image/png");
    }
}
