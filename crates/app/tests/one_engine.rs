//! One engine, four policies: the same three layers give the documented results of personas, layers, catalogs and
//! bottles, and every leaf has its layer and line.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use agpm_diag::SourceMap;
use agpm_merge::{Composition, Contribution, MergePolicy, ReferencePolicy, fold};
use agpm_model::{LayerName, Strategy};
use agpm_text::{Format, Limits, Pointer, parse, parse_alone, to_value};

/// Lowest first; every key has its own line.
const LAYERS: [(&str, &str); 3] = [
    (
        "org",
        r#"{
  "title": "Org",
  "image": "debian",
  "env": {
    "LANG": "C",
    "EDITOR": "vi"
  },
  "git": {"remotes": {
    "one.example": {"url": "https://one.example/r", "known_host_key": "k"}
  }},
  "egress": {
    "routes": [{"host": "org.example"}]
  },
  "links": [
    {"title": "Guide", "url": "guide.md", "kind": "doc"}
  ],
  "guardrails": [
    "Log it.",
    "Never commit secrets."
  ]
}"#,
    ),
    (
        "team",
        r#"{
  "title": "Team",
  "env": {
    "EDITOR": "hx"
  },
  "git": {"remotes": {
    "one.example": {"url": "https://one.example/team"}
  }},
  "links": [
    {"title": "Guide", "url": "guide.md", "kind": "page"},
    {"title": "Board", "url": "board"}
  ],
  "guardrails": [
    "Never commit secrets.",
    "Review first."
  ]
}"#,
    ),
    (
        "me",
        r#"{
  "title": " ",
  "egress": {
    "mode": "off"
  },
  "guardrails": [
    "Ask."
  ]
}"#,
    ),
];

/// A policy, its result, and for some pointers the layer and line of their values.
struct Face {
    name: &'static str,
    policy: MergePolicy,
    result: &'static str,
    origins: &'static [(&'static str, &'static str, usize)],
}

fn faces() -> [Face; 4] {
    [
        // Scalars: the highest value that is not blank. Lists unite; links by title and address, filled from below. Maps merge.
        Face {
            name: "lineage",
            policy: agpm_persona::policy(),
            result: r#"{
                "title": "Team", "image": "debian", "env": {"LANG": "C", "EDITOR": "hx"},
                "git": {"remotes": {"one.example": {"url": "https://one.example/team", "known_host_key": "k"}}},
                "egress": {"routes": [{"host": "org.example"}], "mode": "off"},
                "links": [{"title": "Guide", "url": "guide.md", "kind": "page"}, {"title": "Board", "url": "board"}],
                "guardrails": ["Log it.", "Never commit secrets.", "Review first.", "Ask."]
            }"#,
            origins: &[
                ("/title", "team", 2),
                ("/env/LANG", "org", 5),
                ("/env/EDITOR", "team", 4),
                ("/git/remotes/one.example/known_host_key", "org", 9),
                ("/links/0/kind", "team", 10),
                ("/guardrails/1", "org", 19),
                ("/guardrails/2", "team", 15),
                ("/guardrails/3", "me", 7),
            ],
        },
        // The default of layers: maps merge all the way down, lists and values are the highest's, blank or not.
        Face {
            name: "layers",
            policy: MergePolicy::merge(Strategy::default()),
            result: r#"{
                "title": " ", "image": "debian", "env": {"LANG": "C", "EDITOR": "hx"},
                "git": {"remotes": {"one.example": {"url": "https://one.example/team", "known_host_key": "k"}}},
                "egress": {"routes": [{"host": "org.example"}], "mode": "off"},
                "links": [{"title": "Guide", "url": "guide.md", "kind": "page"}, {"title": "Board", "url": "board"}],
                "guardrails": ["Ask."]
            }"#,
            origins: &[
                ("/title", "me", 2),
                ("/env/LANG", "org", 5),
                ("/git/remotes/one.example/url", "team", 7),
                ("/links/0/kind", "team", 10),
                ("/guardrails/0", "me", 7),
            ],
        },
        // The highest row, whole: never a mix.
        Face {
            name: "catalog",
            policy: MergePolicy {
                composition: Composition::Select,
                references: ReferencePolicy::LENIENT,
            },
            result: r#"{"title": " ", "egress": {"mode": "off"}, "guardrails": ["Ask."]}"#,
            origins: &[
                ("/title", "me", 2),
                ("/egress/mode", "me", 4),
                ("/guardrails/0", "me", 7),
            ],
        },
        // `env` by key, remotes by host and whole, `egress` whole, scalars and lists the highest's.
        Face {
            name: "bottles",
            policy: agpm_bottle::policy(),
            result: r#"{
                "title": " ", "image": "debian", "env": {"LANG": "C", "EDITOR": "hx"},
                "git": {"remotes": {"one.example": {"url": "https://one.example/team"}}},
                "egress": {"mode": "off"},
                "links": [{"title": "Guide", "url": "guide.md", "kind": "page"}, {"title": "Board", "url": "board"}],
                "guardrails": ["Ask."]
            }"#,
            origins: &[
                ("/image", "org", 3),
                ("/env/EDITOR", "team", 4),
                ("/git/remotes/one.example/url", "team", 7),
                ("/egress/mode", "me", 4),
            ],
        },
    ]
}

#[test]
fn the_same_layers_under_four_policies_give_what_each_face_documents() {
    let mut sources = SourceMap::default();
    let contribution = |(name, text): (&str, &str)| {
        let parsed = parse(
            sources.add(name, text),
            text,
            Format::Json,
            Limits::default(),
        );
        assert!(parsed.diagnostics.is_empty(), "{name}");
        Contribution {
            layer: LayerName::new(name).unwrap(),
            document: Arc::new(parsed.document),
        }
    };
    let layers: Vec<Contribution> = LAYERS.into_iter().map(contribution).collect();
    for face in faces() {
        let resolution = fold(layers.clone(), &face.policy, None);
        let expected = parse_alone(face.result, Format::Json).document;
        let value = resolution.root().map(to_value).unwrap();
        assert_eq!(value, to_value(expected.root().unwrap()), "{}", face.name);
        let origin = |pointer: &str| {
            let mut found = None;
            resolution.each_leaf(&pointer.parse::<Pointer>().unwrap(), &mut |leaf| {
                let line = sources.line(leaf.value.source(), leaf.value.span().start);
                found = Some((LAYERS[leaf.layer as usize].0, line));
            });
            found
        };
        for (pointer, layer, line) in face.origins {
            assert_eq!(
                origin(pointer),
                Some((*layer, *line)),
                "{}: {pointer}",
                face.name
            );
        }
        // Each leaf equals the value of its layer at the named pointer.
        resolution.each_leaf(&Pointer::root(), &mut |leaf| {
            let document = &layers[leaf.layer as usize].document;
            assert_eq!(
                leaf.value.source(),
                document.source(),
                "{}: {}",
                face.name,
                leaf.pointer
            );
        });
    }
}
