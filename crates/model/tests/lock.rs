//! A written lockfile reads back unchanged.
#![allow(clippy::unwrap_used, clippy::panic)]

use agpm_diag::SourceMap;
use agpm_model::{
    CatalogRemote, Checksum, InstallMode, LOCK_SCHEMA, LayerName, LockEntry, LockWriter,
    LockedBase, LockedCapabilitySet, LockedLayer, LockedMarketplace, LockedPlacement, LockedRemote,
    LockedSource, Lockfile, MarketplacePlugin, Pin, PinSource, RESOURCE_TYPES, RelativePath,
    ResolvedVersion, ResourceId, ResourceName, ResourceOrigin, ResourcePath, ResourceType,
    SourceName, ToolName, Unit, VersionLabel,
};
use agpm_testkit::schema_problems;
use agpm_text::{Format, Limits, Value, parse, to_value};
use proptest::prelude::*;

fn read(text: &str) -> (Lockfile, usize) {
    let source = SourceMap::default().add("agpm.lock", text);
    let parsed = parse(source, text, Format::Toml, Limits::default());
    assert!(
        parsed.diagnostics.is_empty(),
        "{:?}\n{text}",
        parsed.diagnostics
    );
    let (lock, diagnostics) = Lockfile::read(&parsed.document);
    (lock, diagnostics.len())
}

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9 .'\"\\\\#é-]{0,8}"
}

fn path() -> impl Strategy<Value = String> {
    "x[a-z]{1,4}(/x[a-z0-9é' -]{0,3}[a-z]){0,2}\\.md"
}

prop_compose! {
    fn placements()(
        paths in prop::collection::btree_map("[a-z][a-z-]{0,6}", prop::option::of(path()), 0..4),
    ) -> Vec<LockedPlacement> {
        let placement = |(tool, at): (String, Option<String>)| LockedPlacement {
            tool: ToolName::new(&tool).unwrap(),
            at: at.map(|path| RelativePath::new(&path).unwrap()),
        };
        paths.into_iter().map(placement).collect()
    }
}

prop_compose! {
    fn entry()(
        kind in prop::sample::select(RESOURCE_TYPES.to_vec()),
        names in (name(), prop::option::of(name())),
        versioned in any::<bool>(),
        at in path(),
        requirement in "[\\^~v0-9.a-z]{1,8}( && \\^1)?",
        digits in "[0-9a-f]{40}",
        placements in placements(),
        lists in (prop::collection::vec(name(), 0..3), prop::collection::vec(name(), 0..2)),
        written in any::<bool>(),
    ) -> LockEntry {
        let name = |text: &str| ResourceName::new(text).unwrap();
        let origin = match versioned {
            true => ResourceOrigin::Source(SourceName::new("some source").unwrap()),
            false => ResourceOrigin::Local,
        };
        let is_plugin = kind == ResourceType::Plugins;
        let parts = lists.1.iter().filter(|_| is_plugin).map(|text| ResourceId {
            kind: ResourceType::Agents,
            name: name(text),
        });
        let parts = parts.collect();
        let marketplace = is_plugin.then(|| LockedMarketplace {
            plugin: MarketplacePlugin {
                marketplace: SourceName::new("some market").unwrap(),
                name: names.0.clone(),
            },
            requirement: requirement.clone(),
            commit: versioned.then(|| digits.parse().unwrap()),
        });
        let listed = marketplace.as_ref().map(|pin| pin.plugin.clone());
        LockEntry {
            kind,
            name: name(&names.0),
            manifest_alias: names.1.as_deref().map(name),
            pattern: names.1.as_ref().map(|_| ResourcePath::in_source("agents/**/*.md").unwrap()),
            unit: Unit { origin, path: ResourcePath::in_source(&at).unwrap(), extent: kind.extent(), marketplace: listed },
            pin: versioned.then(|| Pin {
                source: PinSource::Named(SourceName::new("some source").unwrap()),
                requirement: Some(requirement),
                version: VersionLabel::new("v1.0.0"),
                commit: digits.parse().unwrap(),
            }),
            checksum: Some(Checksum::of(at.as_bytes())),
            capabilities: if written { LockedCapabilitySet::Digest(Checksum::of(b"runs")) } else { LockedCapabilitySet::of(vec!["runs a \"b\"\nc".to_owned()]) },
            widened: if written { vec![ToolName::new("cursor").unwrap()] } else { Vec::new() },
            placements,
            dependencies: lists.0,
            private_patches: lists.1.iter().take(1).cloned().collect(),
            dropped_patches: lists.1.iter().skip(1).take(1).cloned().collect(),
            patches: lists.1,
            install: if written { InstallMode::Write } else { InstallMode::ResolveOnly },
            parts,
            // A plugin that another one needs has no pin of its own.
            marketplace: marketplace.filter(|_| written),
            writer: LockWriter::Agpm,
        }
    }
}

prop_compose! {
    fn layer()(called in name(), pinned in any::<bool>(), requirement in "[\\^~v0-9.a-z]{1,8}", digits in "[0-9a-f]{40}") -> LockedLayer {
        let pin = pinned.then(|| Pin {
            source: PinSource::Named(SourceName::new("some source").unwrap()),
            version: VersionLabel::new(&requirement),
            requirement: Some(requirement),
            commit: digits.parse().unwrap(),
        });
        LockedLayer { checksum: Checksum::of(called.as_bytes()), capabilities: if pinned { LockedCapabilitySet::of(vec!["env A".to_owned()]) } else { LockedCapabilitySet::of(Vec::new()) }, name: LayerName::new(&called).unwrap(), pin }
    }
}

prop_compose! {
    fn base()(directory in "[a-z]{1,5}(/[a-z]{1,3})?", pinned in any::<bool>(), requirement in "[\\^~v0-9.a-z]{1,8}", digits in "[0-9a-f]{40}") -> LockedBase {
        let pin = pinned.then(|| Pin {
            source: PinSource::Address("https://git.corp/base".to_owned()),
            version: VersionLabel::new(&requirement),
            requirement: Some(requirement),
            commit: digits.parse().unwrap(),
        });
        LockedBase { checksum: Checksum::of(directory.as_bytes()), directory, pin }
    }
}

prop_compose! {
    fn remote()(
        base in prop::sample::select(vec!["community", "git+https://me:secret@h/o/r", "git+file:///C:/r"]),
        reference in prop::option::of("[a-z]{1,5}(/[a-z]{1,3})?"),
        directory in prop::option::of("[a-z]{1,5}(/[a-z]{1,3})?"),
        digits in "[0-9a-f]{40}",
    ) -> LockedRemote {
        let reference = reference.map(|text| format!("#{text}")).unwrap_or_default();
        let directory = directory.map(|text| format!(":/{text}")).unwrap_or_default();
        let remote = CatalogRemote::parse(&format!("{base}{reference}{directory}")).unwrap();
        let version = ResolvedVersion { label: VersionLabel::new("main"), revision: digits.parse().unwrap() };
        LockedRemote::new(&remote, version)
    }
}

proptest! {
    #[test]
    fn written_values_read_back(
        bases in prop::collection::vec(base(), 0..3),
        layers in prop::collection::vec(layer(), 0..4),
        catalog in prop::collection::vec(remote(), 0..3),
        mut entries in prop::collection::vec(entry(), 0..6),
        url in prop::option::of("[a-z:/.é'\"]{1,20}"),
    ) {
        entries.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        entries.dedup_by(|a, b| (a.kind, &a.name) == (b.kind, &b.name));
        let sources = vec![LockedSource { name: SourceName::new("some source").unwrap(), url }];
        let lock = Lockfile { bases, sources, layers, catalog, entries };
        let text = lock.to_text();
        prop_assert!(!text.contains("secret"), "{}", text);
        prop_assert_eq!(text.contains("[[catalog]]"), !lock.catalog.is_empty());
        prop_assert_eq!(read(&text), (lock.clone(), 0), "{}", text);
        prop_assert_eq!(read(&text).0.to_text(), text);
    }

    #[test]
    fn written_files_are_valid_and_have_no_unknown_key(
        bases in prop::collection::vec(base(), 0..3),
        layers in prop::collection::vec(layer(), 0..4),
        catalog in prop::collection::vec(remote(), 0..3),
        entries in prop::collection::vec(entry(), 0..6),
    ) {
        let sources = vec![LockedSource { name: SourceName::new("some source").unwrap(), url: None }];
        let value = value(&Lockfile { bases, sources, layers, catalog, entries }.to_text());
        prop_assert_eq!(schema_problems(&LOCK_SCHEMA.to_json_schema(), &value), Vec::<String>::new());
        prop_assert_eq!(unknown_keys(&LOCK_SCHEMA.to_json_schema(), &value), Vec::<String>::new());
    }
}

fn value(text: &str) -> Value {
    let source = SourceMap::default().add("agpm.lock", text);
    to_value(
        parse(source, text, Format::Toml, Limits::default())
            .document
            .root()
            .unwrap(),
    )
}

/// Keys in the tables of a lockfile that its schema lacks.
fn unknown_keys(schema: &Value, lock: &Value) -> Vec<String> {
    let entries = |value: &Value| {
        if let Value::Map(entries) = value {
            entries.clone()
        } else {
            Vec::new()
        }
    };
    let mut unknown = Vec::new();
    for (section, tables) in entries(lock) {
        let definition = match section.as_str() {
            "sources" => "source",
            "layers" => "layer",
            "catalog" => "remote",
            _ => "entry",
        };
        let known_keys = schema
            .get("$defs")
            .and_then(|all| all.get(definition)?.get("properties"))
            .unwrap();
        if schema
            .get("properties")
            .and_then(|all| all.get(&section))
            .is_none()
        {
            unknown.push(section);
        }
        let Value::List(tables) = tables else {
            continue;
        };
        let keys = tables.iter().flat_map(entries).map(|(key, _)| key);
        unknown.extend(keys.filter(|key| known_keys.get(key).is_none()));
    }
    unknown
}

#[test]
fn a_lockfile_that_cannot_be_understood_is_not_valid() {
    for text in [
        "version = 2\n",
        "sources = []\n",
        "version = 1\n[[agents]]\nname = \"a\"\n",
        "version = 1\n[[agents]]\npath = \"a.md\"\n",
        "version = 1\n[[sources]]\nurl = \"x\"\n",
        "version = 1\n[[layers]]\nname = \"x\"\n",
        "version = 1\n[[layers]]\nname = \"x\"\nchecksum = \"md5:1\"\n",
        "version = 1\n[[catalog]]\nremote = \"x\"\nversion = \"main\"\n",
        "version = 1\n[[catalog]]\nremote = \"x\"\nversion = \"main\"\nresolved_commit = \"12\"\n",
    ] {
        assert!(
            !schema_problems(&LOCK_SCHEMA.to_json_schema(), &value(text)).is_empty(),
            "{text}"
        );
        assert_ne!(read(text).1, 0, "{text}");
    }
    assert_eq!(
        schema_problems(
            &LOCK_SCHEMA.to_json_schema(),
            &value("version = 1\n[[mcp-servers]]\nname = \"a\"\n")
        ),
        [""; 0]
    );
}

#[test]
fn unintelligible_input_is_reported() {
    for text in [
        "",
        "version = 2\n",
        "version = 1\n[[agents]]\nname = \"a\"\n",
        "version = 1\n[[agents]]\npath = \"a.md\"\n",
        "version = 1\n[[agents]]\nname = \"a\"\npath = \"../a.md\"\nsource = \"s\"\nrequirement = \"x\"\n",
        "version = 1\n[[agents]]\nname = \"a\"\npath = \"a.md\"\nrequirement = \"x\"\nchecksum = \"md5:1\"\n",
        "version = 1\n[[agents]]\nname = \"a\"\npath = \"a.md\"\ninstalled_at = \"/etc/passwd\"\n",
        "version = 1\n[[sources]]\nurl = \"x\"\n",
        "version = 1\n[[catalog]]\nremote = \"x:/../y\"\nversion = \"main\"\nresolved_commit = \"1234567890123456789012345678901234567890\"\n",
        "version = 1\n[[catalog]]\nremote = \"x\"\n",
        "version = 1\n[[layers]]\nname = \"x\"\n",
        "version = 1\n[[layers]]\nname = \"x\"\nsource = \"s\"\nchecksum = \"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"\n",
        "version = 1\n[[agents]]\nname = \"a\"\npath = \"a.md\"\nrequirement = \"x\"\n\
         [[agents]]\nname = \"a\"\npath = \"b.md\"\nrequirement = \"x\"\n",
    ] {
        let empty = text.is_empty();
        assert_eq!(read(text).1, usize::from(!empty), "{text}");
    }
}
