//! Resources: everything that can be read by its URI.

use agpm_app::bottle::{BottleInput, bottle_list, bottle_show};
use agpm_app::installed::InstalledRequest;
use agpm_app::lineage::{ProfileRequest, personas, profile};
use agpm_bottle::BottleView;
use agpm_catalog::{ENTRY_KINDS, EntryKind};
use agpm_diag::WarningPolicy;
use agpm_persona::{PersonaKind, ProfileKinds};
use agpm_text::{Format, Value, print, to_json};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::Value as Json;

use crate::answer::{OperationFailure, annotate_report};
use crate::json::json;
use crate::kind::ItemKind;
use crate::limits::LARGEST_FILE;
use crate::mime::{mime_of, mime_of_bytes};
use crate::shared::{PERSONA_PLACE, SharedState};
use crate::uri::ResourceUri;

/// The content of a resource.
pub(crate) struct ResourceContent {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mime: &'static str,
    /// The JSON value that describes the resource.
    pub(crate) about: Option<Json>,
    pub(crate) diagnostics: Vec<Json>,
}

/// A family of URIs.
struct UriTemplate {
    uri_template: &'static str,
    name: &'static str,
    description: &'static str,
    mime_type: Option<&'static str>,
}

const fn template(
    uri_template: &'static str,
    name: &'static str,
    description: &'static str,
    mime_type: Option<&'static str>,
) -> UriTemplate {
    UriTemplate {
        uri_template,
        name,
        description,
        mime_type,
    }
}

pub(crate) const CSV_TEMPLATE: &str = "agpm://catalog/{kind}.csv";
pub(crate) const ENTRY_TEMPLATE: &str = "agpm://{kind}/{module}/{name}";
pub(crate) const INSTALLED_TEMPLATE: &str = "agpm://installed/{type}/{name}";
pub(crate) const PERSONA_TEMPLATE: &str = "agpm://persona/{slug}";
pub(crate) const BOTTLE_TEMPLATE: &str = "agpm://bottle/{name}";
pub(crate) const BOTTLE_AGENT_TEMPLATE: &str = "agpm://bottle-agent/{name}";

static TEMPLATES: [UriTemplate; 6] = [
    template(
        CSV_TEMPLATE,
        "catalog",
        "all rows of a kind of the catalog",
        Some("text/csv"),
    ),
    template(
        ENTRY_TEMPLATE,
        "entry",
        "the file of a row of the catalog",
        None,
    ),
    template(
        INSTALLED_TEMPLATE,
        "installed",
        "the file of an installed package; of a hook or MCP server, its lockfile entry",
        None,
    ),
    template(
        PERSONA_TEMPLATE,
        "persona",
        "a merged persona",
        Some("application/json"),
    ),
    template(
        BOTTLE_TEMPLATE,
        "bottle",
        "an effective bottle, secrets masked",
        Some("application/yaml"),
    ),
    template(
        BOTTLE_AGENT_TEMPLATE,
        "bottle-agent",
        "an agent with its bottle",
        Some("application/yaml"),
    ),
];

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    TEMPLATES.iter().map(UriTemplate::listed).collect()
}

impl UriTemplate {
    fn listed(&self) -> ResourceTemplate {
        let listed =
            ResourceTemplate::new(self.uri_template, self.name).with_description(self.description);
        match self.mime_type {
            Some(mime) => listed.with_mime_type(mime),
            None => listed,
        }
    }
}

/// Everything that can be read. Families that cannot be listed are logged and left out.
pub(crate) fn all(shared: &SharedState) -> Vec<Resource> {
    let families = [of_catalog, of_installed, of_personas, of_bottles];
    let mut found = Vec::new();
    for family in families {
        match family(shared) {
            Ok(resources) => found.extend(resources),
            // Not every directory is a project, and not every user has bottles.
            Err(failed) if failed.code == "manifest/missing" || failed.code == "io/not-found" => {}
            Err(failed) => shared.log.send(&failed.diagnostics()),
        }
    }
    found
}

fn resource(address: &ResourceUri, name: &str, mime: &str) -> Option<Resource> {
    Some(Resource::new(address.uri()?, name).with_mime_type(mime))
}

fn of_catalog(shared: &SharedState) -> Result<Vec<Resource>, OperationFailure> {
    let view = shared.catalog()?;
    let has = |kind: &EntryKind| view.of_kind(*kind).next().is_some();
    let csv = |kind| {
        resource(
            &ResourceUri::Csv(kind),
            &format!("{}.csv", kind.singular()),
            "text/csv",
        )
    };
    let lists = ENTRY_KINDS.into_iter().filter(has).filter_map(csv);
    let entries = view.rows().filter_map(|row| {
        let address =
            ResourceUri::Entry(row.kind(), row.module().to_owned(), row.name().to_owned());
        let mut listed = resource(&address, &row.reference(), mime_of(row.path()))?;
        listed.title = row.title();
        listed.description = row.description();
        Some(listed)
    });
    Ok(lists.chain(entries).collect())
}

fn of_installed(shared: &SharedState) -> Result<Vec<Resource>, OperationFailure> {
    let view = shared.installed()?;
    let row = |row: &crate::shared::InstalledRow| {
        let path = row.value["installed"][0]["at"].as_str();
        let mime = match path {
            _ if row.kind.is_merged() => "application/json",
            Some(path) => mime_of_place(row.kind, path),
            // A file that was never written cannot be read.
            None => return None,
        };
        resource(
            &ResourceUri::Installed(row.kind, row.name.clone()),
            &row.label,
            mime,
        )
    };
    Ok(view.rows.iter().filter_map(row).collect())
}

/// A skill is a directory, and its file is Markdown.
fn mime_of_place(kind: agpm_model::ResourceType, path: &str) -> &'static str {
    if kind == agpm_model::ResourceType::Skills {
        "text/markdown"
    } else {
        mime_of(path)
    }
}

fn of_personas(shared: &SharedState) -> Result<Vec<Resource>, OperationFailure> {
    let annotated = annotate_report(personas(
        &shared.world,
        &PERSONA_PLACE,
        WarningPolicy::Report,
    ))?;
    let row = |row: &agpm_persona::PersonaRow| {
        resource(
            &ResourceUri::Named(ItemKind::Persona, row.slug.to_string()),
            row.slug.as_str(),
            "application/json",
        )
    };
    Ok(annotated.report.personas.iter().filter_map(row).collect())
}

fn of_bottles(shared: &SharedState) -> Result<Vec<Resource>, OperationFailure> {
    let annotated = annotate_report(bottle_list(&shared.world, &BottleInput::default()))?;
    let row = |kind, name: &str| {
        resource(
            &ResourceUri::Named(kind, name.to_owned()),
            name,
            "application/yaml",
        )
    };
    let bottles = annotated
        .report
        .bottles
        .iter()
        .filter_map(|bottle| row(ItemKind::Bottle, bottle.name.as_str()));
    let agents = annotated
        .report
        .agents
        .iter()
        .filter_map(|agent| row(ItemKind::BottleAgent, agent.name.as_str()));
    Ok(bottles.chain(agents).collect())
}

/// The content at a URI.
pub(crate) fn content_of(
    shared: &SharedState,
    address: &ResourceUri,
) -> Result<ResourceContent, OperationFailure> {
    match address {
        ResourceUri::Csv(kind) => {
            let view = shared.catalog()?;
            let diagnostics = view.diagnostics.clone();
            Ok(ResourceContent {
                bytes: view.csv(*kind).into_bytes(),
                mime: "text/csv",
                about: None,
                diagnostics,
            })
        }
        ResourceUri::Entry(kind, module, name) => {
            entry(shared, Some(*kind), &reference(module, name)).map(|(_, content)| content)
        }
        ResourceUri::Installed(kind, name) => {
            let request = InstalledRequest {
                kind: *kind,
                name: name.clone(),
                limit: LARGEST_FILE,
            };
            let view = shared.installed()?;
            let annotated = annotate_report(view.resources.read(&request))?;
            let (about, diagnostics) = (json(&annotated.report.entry), view.diagnostics.clone());
            Ok(match annotated.report.file {
                Some(file) => {
                    ResourceContent::file(file.bytes, file.path.as_str(), about, diagnostics)
                }
                None => {
                    let bytes = to_json(&annotated.report.entry).into_bytes();
                    ResourceContent {
                        bytes,
                        mime: "application/json",
                        about: Some(about),
                        diagnostics,
                    }
                }
            })
        }
        ResourceUri::Named(ItemKind::Persona, slug) => persona(shared, slug),
        ResourceUri::Named(ItemKind::BottleAgent, name) => bottle(shared, name, BottleView::Agent),
        ResourceUri::Named(_, name) => bottle(shared, name, BottleView::Effective),
    }
}

fn reference(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}/{name}")
    }
}

/// The file of a row of the catalog, as it is now.
pub(crate) fn entry(
    shared: &SharedState,
    kind: Option<EntryKind>,
    reference: &str,
) -> Result<(EntryKind, ResourceContent), OperationFailure> {
    let file = shared.catalog()?.read(kind, reference)?;
    let about = serde_json::json!({
        "kind": file.kind.singular(),
        "module": file.module,
        "name": file.name,
        "layer": file.layer.word(),
        "remote": file.remote,
    });
    Ok((
        file.kind,
        ResourceContent::file(file.bytes, &file.path.to_string_lossy(), about, Vec::new()),
    ))
}

impl ResourceContent {
    fn file(bytes: Vec<u8>, path: &str, about: Json, diagnostics: Vec<Json>) -> Self {
        let mime = if std::str::from_utf8(&bytes).is_ok() {
            mime_of(path)
        } else {
            mime_of_bytes(path)
        };
        ResourceContent {
            bytes,
            mime,
            about: Some(about),
            diagnostics,
        }
    }

    /// The content for a client: as text if it is UTF-8.
    pub(crate) fn into_resource(self, uri: String) -> ResourceContents {
        let contents = match String::from_utf8(self.bytes) {
            Ok(text) => ResourceContents::text(text, uri),
            Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri),
        };
        contents.with_mime_type(self.mime)
    }
}

/// The agent document of a persona, or all its documents if it has none.
fn persona(shared: &SharedState, slug: &str) -> Result<ResourceContent, OperationFailure> {
    let request = |kinds| ProfileRequest {
        slug: slug.to_owned(),
        kinds,
        scope: PERSONA_PLACE,
        additions: Vec::new(),
        warnings: WarningPolicy::Report,
    };
    let one = profile(
        &shared.world,
        &request(ProfileKinds::One(PersonaKind::Agent)),
    );
    let annotated = match annotate_report(one) {
        Ok(annotated) => annotated,
        Err(_) => {
            crate::answer::annotate_report(profile(&shared.world, &request(ProfileKinds::All)))?
        }
    };
    let value = &annotated.report.value;
    let bytes = value.to_json().into_bytes();
    Ok(ResourceContent {
        bytes,
        mime: "application/json",
        about: Some(json(value)),
        diagnostics: annotated.diagnostics(),
    })
}

fn bottle(
    shared: &SharedState,
    name: &str,
    view: BottleView,
) -> Result<ResourceContent, OperationFailure> {
    let annotated = annotate_report(bottle_show(
        &shared.world,
        &BottleInput::default(),
        name,
        view,
    ))?;
    let masked: Value = annotated.report.masked();
    let text = print(&masked, Format::Yaml).unwrap_or_else(|_| masked.to_json());
    let (about, diagnostics) = (Some(json(&masked)), annotated.diagnostics());
    Ok(ResourceContent {
        bytes: text.into_bytes(),
        mime: "application/yaml",
        about,
        diagnostics,
    })
}
