//! Patterns over the commands of servers, such as `npx @corp/*`.

use crate::server_command::ServerCommand;
use crate::wildcard::{Wildcard, includes};

/// The algorithms of digests, which follow an `@` in the names of images.
const DIGESTS: [&str; 2] = ["sha256", "sha512"];

/// Whether a command begins with the words of a pattern; the rest is free. A prefix of the line would let `npx` allow
/// `npx-evil`, and `npx @corp/x` the file of that name.
pub(crate) fn allows_command(pattern: &str, command: &ServerCommand) -> bool {
    let mut words = command.words();
    let mut allowed = pattern.split_whitespace();
    allowed.all(|allowed| words.next().is_some_and(|word| allows_word(allowed, word)))
}

fn allows_word(allowed: &str, word: &str) -> bool {
    // `*` stays in its segment, and means what is installed under that name, not what is somewhere else.
    let is_elsewhere = word.split(['/', '\\']).any(|part| part == "..") || is_alias(word);
    allowed == word || !is_elsewhere && includes(allowed, word, Wildcard::StaysInSegment)
}

/// Whether a package is installed from somewhere else under its name, as `@corp/x@npm:evil` is.
fn is_alias(word: &str) -> bool {
    let Some((name, requirement)) = word.rsplit_once('@').filter(|(name, _)| !name.is_empty())
    else {
        return false;
    };
    let protocol = requirement.split_once(':').map(|(protocol, _)| protocol);
    // The last `@` may belong to the URL itself, as in `x@git+ssh://git@host`.
    let is_protocol = |text: &str| !text.is_empty() && !DIGESTS.contains(&text);
    protocol.is_some_and(is_protocol) || is_alias(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_are_compared_one_by_one() {
        let command = |words: &[&str]| {
            ServerCommand::of_words(words.iter().map(|word| (*word).to_owned())).unwrap()
        };
        for (pattern, words, expected) in [
            ("npx @corp/*", &["npx", "@corp/x"][..], true),
            ("npx @corp/*", &["npx", "@corp/x", "--all", "x"], true),
            ("npx @corp/*", &["npx", "@corp/x@1.2.3"], true),
            ("npx @corp/*", &["npx", "@corp/x@latest"], true),
            ("npx  @corp/*", &["npx", "@corp/x"], true),
            ("npx", &["npx"], true),
            ("npx", &["npx", "anything"], true),
            ("npx @corp/*", &["npx"], false),
            ("npx @corp/*", &["npx", "-y", "@corp/x"], false),
            ("npx @corp/*", &["npx", "evil", "@corp/x"], false),
            ("npx @corp/*", &["npx-evil", "@corp/x"], false),
            ("npx @corp/*", &["./npx", "@corp/x"], false),
            ("npx @corp/*", &["npx @corp/x"], false),
            ("npx @corp/*", &["npx @corp/x", "@corp/x"], false),
            ("npx @corp/*", &["npx", "@corp/x evil"], true),
            ("npx @corp/*", &["npx", "@corp/../evil"], false),
            ("npx @corp/*", &["npx", "@corp/.."], false),
            ("npx @corp/*", &["npx", "@corp/a/b"], false),
            ("npx @corp/**", &["npx", "@corp/a/b"], true),
            ("npx @corp/**", &["npx", "@corp/a/../../evil"], false),
            ("npx @corp/**", &["npx", "@corp/a\\..\\evil"], false),
            ("npx @corp/*", &["npx", "@corp/x@npm:evil"], false),
            ("npx @corp/**", &["npx", "@corp/x@npm:@evil/x"], false),
            ("npx @corp/*", &["npx", "@corp/x@npm:evil@1.0.0"], false),
            ("npx @corp/**", &["npx", "@corp/x@git+ssh://git@h/x"], false),
            ("npx @corp/**", &["npx", "@corp/x@github:evil/x"], false),
            ("npx @corp/*", &["npx", "@corp/x@file:evil"], false),
            ("npx @corp/x@npm:good", &["npx", "@corp/x@npm:good"], true),
            (
                "docker run ghcr.io/corp/*",
                &["docker", "run", "ghcr.io/corp/x:1"],
                true,
            ),
            (
                "docker run ghcr.io/corp/*",
                &["docker", "run", "ghcr.io/corp/x@sha256:ab"],
                true,
            ),
            ("./tools/*", &["./tools/x"], true),
            ("./tools/*", &["./tools/../x"], false),
        ] {
            let found = allows_command(pattern, &command(words));
            assert_eq!(found, expected, "{pattern} {words:?}");
        }
    }
}
