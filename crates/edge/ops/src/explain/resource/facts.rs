//! What is known of a resource besides its values.

use agpm_diag::{SourceMap, Spot};
use agpm_model::{
    Checksum, Install, Locked, ObjectId, Origin, RelativePath, ResourcePath, ToolName,
};
use agpm_render::{Fate, FateKind};
use agpm_text::Value;

use crate::explain::resource::{Content, Target};
use crate::locked::{identity, source};
use crate::why::{Asked, Link};

/// Chains that are told in a text; `agpm why` tells more.
const MOST_CHAINS: usize = 5;

/// An installed resource.
#[derive(Debug)]
pub struct ExplainedResource {
    locked: Locked,
    /// The address of its source, without secrets.
    address: Option<String>,
    /// Where the manifest asks for it, and as what.
    wish: Option<Wish>,
    asked: Asked,
    /// What its tool's own form cannot say, or says otherwise.
    fates: Vec<Fate>,
}

#[derive(Debug)]
struct Wish {
    file: String,
    line: usize,
    requirement: Option<String>,
}

pub(super) fn resource(
    target: &Target<'_>,
    asked: Asked,
    content: Option<&Content>,
    sources: &SourceMap,
) -> ExplainedResource {
    let locked = target.locked.clone();
    let source = locked
        .unit
        .origin
        .source()
        .and_then(|name| target.manifest.source(name));
    let inexact = |fate: &&Fate| fate.kind != FateKind::Exact;
    let fates = content.map(|content| content.made.fates.iter().filter(inexact).cloned().collect());
    let wish = |spot: Spot| Wish {
        file: sources.get(spot.source).name.clone(),
        line: sources.line(spot.source, spot.span.start),
        requirement: target
            .dependency
            .filter(|_| locked.commit().is_some())
            .map(|dependency| dependency.selector.to_string()),
    };
    ExplainedResource {
        address: source.map(|source| source.address.redacted().to_owned()),
        wish: target.asked_at().map(wish),
        asked,
        fates: fates.unwrap_or_default(),
        locked,
    }
}

impl ExplainedResource {
    /// The word for one of its kind.
    pub fn kind(&self) -> &'static str {
        self.locked.kind.singular()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.locked.name.as_str()
    }

    /// What is known, each with what it is, for people.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let locked = &self.locked;
        let mut facts = vec![("source", self.source())];
        let mut tell = |what, fact: Option<String>| facts.extend(fact.map(|fact| (what, fact)));
        tell(
            "path",
            Some(locked.unit.path.to_string()).filter(|_| locked.unit.origin != Origin::Manifest),
        );
        tell(
            "asked for",
            self.wish.as_ref().map(|wish| self.wished(wish)),
        );
        let chains: Vec<&Vec<Link>> = self
            .asked
            .chains
            .iter()
            .filter(|chain| chain.len() > 1)
            .collect();
        for chain in chains.iter().take(MOST_CHAINS) {
            tell("needed by", Some(above(chain)));
        }
        let more = self.asked.more || chains.len() > MOST_CHAINS;
        tell(
            "needed by",
            more.then(|| format!("more, as `agpm why {}` tells", locked.label())),
        );
        tell(
            "asked for",
            self.asked
                .chains
                .is_empty()
                .then(|| "nothing asks for it any more".to_owned()),
        );
        let through_others = self.wish.is_none() && !self.asked.chains.is_empty();
        tell(
            "asked for as",
            locked
                .requirement()
                .map(str::to_owned)
                .filter(|_| through_others),
        );
        tell("version", locked.version().map(str::to_owned));
        tell("commit", locked.commit().map(ObjectId::to_string));
        tell(
            "checksum",
            locked.checksum.as_ref().map(Checksum::to_string),
        );
        tell("tool", locked.tool.as_ref().map(ToolName::to_string));
        tell("installed at", Some(self.place()));
        for fate in &self.fates {
            tell("conversion", Some(told(fate)));
        }
        facts
    }

    fn source(&self) -> String {
        match (&self.locked.unit.origin, &self.address) {
            (Origin::Manifest, _) => "the manifest itself".to_owned(),
            (Origin::Local, _) => "this machine".to_owned(),
            (Origin::Source(name), Some(address)) => format!("{name} ({address})"),
            (Origin::Source(name), None) => {
                format!("{name}, which the manifest does not have any more")
            }
        }
    }

    fn wished(&self, wish: &Wish) -> String {
        let requirement = wish
            .requirement
            .as_ref()
            .map(|text| format!(", as {text}"))
            .unwrap_or_default();
        let alias = self
            .locked
            .manifest_alias
            .as_ref()
            .zip(self.locked.pattern.as_ref());
        let pattern =
            alias.map(|(alias, pattern)| format!(", by the pattern `{alias}` ({pattern})"));
        format!(
            "{}:{}{requirement}{}",
            wish.file,
            wish.line,
            pattern.unwrap_or_default()
        )
    }

    fn place(&self) -> String {
        let nowhere = match self.locked.install {
            Install::ResolveOnly => "nowhere, as it says `install = false`",
            Install::Write => "nowhere",
        };
        self.locked
            .installed_at
            .as_ref()
            .map_or_else(|| nowhere.to_owned(), RelativePath::to_string)
    }

    /// The field `resource`.
    pub fn value(&self) -> Value {
        let locked = &self.locked;
        let place = |wish: &Wish| {
            Value::map([
                ("file", Value::from(wish.file.as_str())),
                ("line", wish.line.into()),
            ])
        };
        let requirement = self
            .wish
            .as_ref()
            .and_then(|wish| wish.requirement.as_deref());
        let mut fields = identity(locked);
        fields.extend([
            (
                "address",
                self.address
                    .as_deref()
                    .filter(|_| source(locked).is_some())
                    .into(),
            ),
            ("path", locked.unit.path.as_str().into()),
            (
                "pattern",
                locked.pattern.as_ref().map(ResourcePath::as_str).into(),
            ),
            ("requirement", requirement.or(locked.requirement()).into()),
            ("asked_at", self.wish.as_ref().map(place).into()),
            (
                "resolved_commit",
                locked.commit().map(ObjectId::as_str).into(),
            ),
            (
                "checksum",
                locked.checksum.as_ref().map(Checksum::to_string).into(),
            ),
            ("tool", locked.tool.as_ref().map(ToolName::as_str).into()),
            (
                "installed_at",
                locked
                    .installed_at
                    .as_ref()
                    .map(RelativePath::as_str)
                    .into(),
            ),
            (
                "patches",
                Value::list(locked.patches.iter().map(String::as_str)),
            ),
            (
                "conversions",
                Value::list(self.fates.iter().map(fate_value)),
            ),
        ]);
        fields.extend(self.asked.chain_fields());
        Value::map(fields)
    }
}

/// Those above a resource on a chain.
fn above(chain: &[Link]) -> String {
    let above = &chain[..chain.len().saturating_sub(1)];
    above
        .iter()
        .map(|link| link.title.as_str())
        .collect::<Vec<_>>()
        .join(" -> ")
}

fn told(fate: &Fate) -> String {
    let note = if fate.note.is_empty() {
        String::new()
    } else {
        format!(": {}", fate.note)
    };
    format!("`{}` is {}{note}", fate.field, fate.kind.word())
}

fn fate_value(fate: &Fate) -> Value {
    let fields = [
        ("field", fate.field.as_str()),
        ("fate", fate.kind.word()),
        ("note", fate.note.as_str()),
    ];
    Value::map(fields.map(|(key, text)| (key, Value::from(text))))
}
