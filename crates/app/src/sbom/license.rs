//! The license of a resource or a source, as its author states it.

use agpm_resolve::ResourceFiles;
use agpm_text::{Format, Value, parse_alone, to_value};

/// The names of files with a license, in the top directory of a repository.
pub(super) const FILE_NAMES: [&str; 8] = [
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "LICENCE",
    "COPYING",
    "UNLICENSE",
];

/// A license.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum License {
    /// An identifier or an expression of SPDX.
    Expression(String),
    /// Other words, such as the name of a file.
    Words(String),
}

/// Phrases that only the text of one license has, and its identifier. A text must have all phrases of a row; the first
/// row that fits is taken.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "Apache-2.0",
        &["apache license", "version 2.0, january 2004"],
    ),
    ("MPL-2.0", &["mozilla public license version 2.0"]),
    (
        "BSD-3-Clause",
        &[
            "redistribution and use in source and binary forms",
            "neither the name",
        ],
    ),
    (
        "BSD-2-Clause",
        &["redistribution and use in source and binary forms"],
    ),
    (
        "MIT-0",
        &[
            "mit no attribution",
            "permission is hereby granted, free of charge",
        ],
    ),
    ("MIT", &["permission is hereby granted, free of charge"]),
    (
        "ISC",
        &["permission to use, copy, modify, and/or distribute this software for any purpose"],
    ),
    (
        "Unlicense",
        &["this is free and unencumbered software released into the public domain"],
    ),
    ("CC0-1.0", &["cc0 1.0 universal"]),
    (
        "CC-BY-4.0",
        &["creative commons attribution 4.0 international"],
    ),
    (
        "AGPL-3.0-only",
        &["gnu affero general public license", "version 3"],
    ),
    (
        "LGPL-3.0-only",
        &["gnu lesser general public license", "version 3"],
    ),
    ("GPL-3.0-only", &["gnu general public license", "version 3"]),
    ("GPL-2.0-only", &["gnu general public license", "version 2"]),
];

impl License {
    /// The license that words state: an SPDX expression, or other words.
    pub(super) fn of_words(words: &str) -> Option<Self> {
        let words = words.trim();
        if words.is_empty() {
            return None;
        }
        Some(match spdx::Expression::parse(words) {
            Ok(_) => License::Expression(words.to_owned()),
            Err(_) => License::Words(words.to_owned()),
        })
    }

    /// The license of a resource: the `license` of its front matter or its plugin manifest, or a license file in it.
    pub(super) fn of_resource(resource: &ResourceFiles) -> Option<Self> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let declared = declared_in(&text(&resource.main.bytes), Format::Markdown);
        let manifests = resource.others.iter();
        let manifests = manifests.filter(|(path, _)| path.file_name() == "plugin.json");
        let declared = declared.or_else(|| {
            manifests
                .map(|(_, file)| text(&file.bytes))
                .find_map(|manifest| declared_in(&manifest, Format::Json))
        });
        let declared = declared.and_then(|words| License::of_words(&words));
        let files = resource.others.iter();
        let files = files.filter(|(path, _)| FILE_NAMES.contains(&path.as_str()));
        let texts: Vec<String> = files.map(|(_, file)| text(&file.bytes)).collect();
        let recognized = License::of_texts(&texts);
        match (declared, recognized) {
            // `Complete terms in LICENSE.txt` says less than the file.
            (Some(License::Words(_)), Some(recognized)) => Some(recognized),
            (declared, recognized) => declared.or(recognized),
        }
    }

    /// The license of some license files; the user may choose among several.
    pub(super) fn of_texts(texts: &[String]) -> Option<Self> {
        let mut found: Vec<&str> = texts.iter().filter_map(|text| recognize(text)).collect();
        found.sort_unstable();
        found.dedup();
        (!found.is_empty()).then(|| License::Expression(found.join(" OR ")))
    }
}

fn declared_in(text: &str, format: Format) -> Option<String> {
    let parsed = parse_alone(text.to_owned(), format);
    let Value::Map(fields) = to_value(parsed.document.root()?) else {
        return None;
    };
    let (_, value) = fields.into_iter().find(|(key, _)| key == "license")?;
    value.as_str().map(str::to_owned)
}

/// The identifier of the license with this text.
fn recognize(text: &str) -> Option<&'static str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    let mut rows = TEXTS.iter();
    let row = rows.find(|(_, phrases)| phrases.iter().all(|phrase| text.contains(phrase)));
    row.map(|(id, _)| *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_an_expression_if_spdx_knows_them() {
        for (words, expected) in [
            ("MIT", License::Expression("MIT".to_owned())),
            (
                "MIT OR Apache-2.0",
                License::Expression("MIT OR Apache-2.0".to_owned()),
            ),
            (
                "Complete terms in LICENSE.txt",
                License::Words("Complete terms in LICENSE.txt".to_owned()),
            ),
        ] {
            assert_eq!(License::of_words(words), Some(expected));
        }
        assert_eq!(License::of_words(" "), None);
    }

    #[test]
    fn every_identifier_of_the_table_is_known() {
        for (id, _) in TEXTS {
            assert!(spdx::license_id(id).is_some(), "{id}");
        }
    }

    #[test]
    fn texts_are_recognized_by_their_phrases() {
        for (text, expected) in [
            (
                "MIT License\n\nPermission is hereby granted, free\nof charge",
                Some("MIT"),
            ),
            (
                "Apache License\n  Version 2.0, January 2004",
                Some("Apache-2.0"),
            ),
            (
                "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007",
                Some("GPL-3.0-only"),
            ),
            ("All rights reserved.", None),
        ] {
            assert_eq!(recognize(text), expected, "{text}");
        }
        let both = [
            "Permission is hereby granted, free of charge".to_owned(),
            "Apache License Version 2.0, January 2004".to_owned(),
        ];
        let expected = License::Expression("Apache-2.0 OR MIT".to_owned());
        assert_eq!(License::of_texts(&both), Some(expected));
    }
}
