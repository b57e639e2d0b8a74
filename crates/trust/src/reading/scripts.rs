//! Files that are run by their path.

use agpm_model::FileMode;

/// Extensions of script languages.
const SCRIPT_EXTENSIONS: [&str; 12] = [
    "py", "sh", "bash", "zsh", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "ps1",
];

/// Whether a file is a script: executable, with an interpreter in its first line, or in a script language.
pub fn is_script(path: &str, mode: FileMode, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let is_known = |extension: &str| {
        SCRIPT_EXTENSIONS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    mode == FileMode::Executable || text.starts_with(b"#!") || extension.is_some_and(is_known)
}
