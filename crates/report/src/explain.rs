//! The origins of values, and the known facts about a resource.

use agpm_app::explain::{CodePage, ExplainReport, ExplainedResource, ExplainedValues, RequiredAt};
use agpm_app::why::ChainLink;
use agpm_diag::visible;
use agpm_merge::{ExplainedShadow, Provenance};
use agpm_model::{InstallMode, ResourceOrigin, ToolName};
use agpm_render::FieldOutcome;
use agpm_text::{Pointer, Value};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};

/// The operation of a value that one layer alone has.
const SINGLE_LAYER: &str = "only";

/// The most chains that are shown; `agpm why` shows more.
const MOST_CHAINS: usize = 5;

/// The part of an error page that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageExtent {
    /// The meaning and the fix.
    Summary,
    /// The examples too.
    Full,
}

/// The explanation as text or as a document.
pub fn render(
    report: ExplainReport,
    extent: PageExtent,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match &report {
        _ if context.json => context.document(&report),
        ExplainReport::Page(page) if extent == PageExtent::Summary => {
            RenderedReport::Text(page_summary(page))
        }
        _ => RenderedReport::Text(text(&report)),
    }
}

/// A page up to its examples.
fn page_summary(page: &CodePage) -> String {
    let (summary, _) = page.page.split_once("\n## ").unwrap_or((page.page, ""));
    let title = format!("{}[{}]", page.severity, page.code);
    let rest = summary.split_once('\n').map_or("", |(_, rest)| rest);
    format!(
        "{title}\n{}\n\n`agpm explain {} --full` shows examples.\n",
        rest.trim_end(),
        page.code
    )
}

/// The explanation as people read it.
pub fn text(report: &ExplainReport) -> String {
    match report {
        ExplainReport::Page(page) => page.page.to_owned(),
        ExplainReport::Values(values) => values_text(values)
            .lines()
            .map(|line| format!("{}\n", one_line(line)))
            .collect(),
    }
}

fn values_text(values: &ExplainedValues) -> String {
    // A query for one location shows only the findings about it.
    let is_root = values.pointer == Pointer::root();
    let head = values.resource.as_deref().filter(|_| is_root).map(head);
    format!(
        "{}{}",
        head.unwrap_or_default(),
        provenance_text(&values.provenance)
    )
}

fn head(resource: &ExplainedResource) -> String {
    let facts = facts(resource)
        .into_iter()
        .map(|(what, fact)| format!("  {what}: {fact}\n"));
    let identity = &resource.identity;
    format!(
        "{} {}\n{}",
        identity.kind,
        identity.name,
        facts.collect::<String>()
    )
}

/// The known facts, each with a label.
fn facts(resource: &ExplainedResource) -> Vec<(&'static str, String)> {
    let mut facts = vec![("source", source(resource))];
    let mut add = |what, fact: Option<String>| facts.extend(fact.map(|fact| (what, fact)));
    let is_file = resource.origin != ResourceOrigin::Manifest;
    add("path", is_file.then(|| resource.path.to_string()));
    let asked_at = resource.asked_at.as_ref();
    add(
        "required",
        asked_at.map(|at| requirement_text(resource, at)),
    );
    let chains = &resource.required.chains;
    let through: Vec<&Vec<ChainLink>> = chains.iter().filter(|chain| chain.len() > 1).collect();
    for chain in through.iter().take(MOST_CHAINS) {
        add("needed by", Some(above(chain)));
    }
    let more = resource.required.more || through.len() > MOST_CHAINS;
    let label = format!("{}/{}", resource.kind, resource.identity.name);
    add(
        "needed by",
        more.then(|| format!("more; run `agpm why {label}`")),
    );
    let unasked = chains.is_empty().then(|| "no longer required".to_owned());
    add("required", unasked);
    let through_others = resource.asked_at.is_none() && !chains.is_empty();
    add(
        "required as",
        resource.requirement.clone().filter(|_| through_others),
    );
    add("version", text_of(resource.identity.version.as_ref()));
    add("commit", text_of(resource.resolved_commit.as_ref()));
    add("checksum", text_of(resource.checksum.as_ref()));
    let tools: Vec<&str> = resource.placements.tools().map(ToolName::as_str).collect();
    let word = if tools.len() > 1 { "tools" } else { "tool" };
    add(
        word,
        Some(tools.join(", ")).filter(|tools| !tools.is_empty()),
    );
    for path in installed_paths(resource) {
        add("installed at", Some(path));
    }
    let parts = resource.parts.join(", ");
    add("parts", Some(parts).filter(|parts| !parts.is_empty()));
    add("part of", resource.part_of.clone());
    for capability in resource.capabilities.items() {
        add(
            "capability",
            Some(visible(&capability.to_string()).to_string()),
        );
    }
    for converted in &resource.conversions {
        let tool = if tools.len() > 1 {
            format!("for {}: ", converted.tool)
        } else {
            String::new()
        };
        add("conversion", Some(tool + &conversion(&converted.outcome)));
    }
    facts
}

fn text_of<T: ToString>(value: Option<&T>) -> Option<String> {
    value.map(T::to_string)
}

fn source(resource: &ExplainedResource) -> String {
    match (&resource.origin, &resource.address) {
        (ResourceOrigin::Manifest, _) => "the manifest itself".to_owned(),
        (ResourceOrigin::Local, _) => "this machine".to_owned(),
        (ResourceOrigin::Source(name), Some(address)) => format!("{name} ({address})"),
        (ResourceOrigin::Source(name), None) => {
            format!("{name}, which is no longer in the manifest")
        }
    }
}

fn requirement_text(resource: &ExplainedResource, at: &RequiredAt) -> String {
    let requirement = at.requirement.as_ref();
    let requirement = requirement.map(|text| format!(", as {text}"));
    let pattern = resource
        .pattern_name
        .as_ref()
        .zip(resource.pattern.as_ref());
    let pattern = pattern.map(|(name, pattern)| format!(", by the pattern `{name}` ({pattern})"));
    format!(
        "{}:{}{}{}",
        at.file,
        at.line,
        requirement.unwrap_or_default(),
        pattern.unwrap_or_default()
    )
}

fn installed_paths(resource: &ExplainedResource) -> Vec<String> {
    let nowhere = match resource.install {
        _ if resource.is_disabled => "nowhere (disabled)",
        InstallMode::ResolveOnly => "nowhere (`install = false`)",
        InstallMode::Write | InstallMode::InPlace => "nowhere",
    };
    let paths = resource.placements.paths();
    if paths.is_empty() {
        return vec![nowhere.to_owned()];
    }
    paths.into_iter().map(ToString::to_string).collect()
}

/// Returns the resources above one in a chain.
fn above(chain: &[ChainLink]) -> String {
    let above = &chain[..chain.len().saturating_sub(1)];
    let titles: Vec<&str> = above.iter().map(|link| link.title.as_str()).collect();
    titles.join(" -> ")
}

fn conversion(outcome: &FieldOutcome) -> String {
    let note = match outcome.note.as_str() {
        "" => String::new(),
        note => format!(": {note}"),
    };
    format!("`{}` is {}{note}", outcome.field, outcome.kind.word())
}

/// Prints one block for each value, deletion and range of the body.
pub(crate) fn provenance_text(provenance: &Provenance) -> String {
    let mut out = String::new();
    for leaf in &provenance.leaves {
        let pointer = visible(&leaf.pointer.to_string());
        let heading = if pointer.is_empty() {
            "(whole document)"
        } else {
            &pointer
        };
        out.push_str(&format!("{heading} = {}\n", inline(&leaf.value)));
        let origin = format!("  from {} ({}:{})", leaf.layer, leaf.file, leaf.line);
        out.push_str(&origin);
        // If only one layer has the value, nothing was merged and an operation would be confusing.
        if leaf.operation != SINGLE_LAYER {
            out.push_str(&format!(", {}", leaf.operation));
        }
        out.push('\n');
        shadows(&leaf.shadows, &mut out);
    }
    for deletion in &provenance.deletions {
        out.push_str(&format!(
            "{} is unset\n",
            visible(&deletion.pointer.to_string())
        ));
        shadows(&deletion.shadows, &mut out);
    }
    for part in &provenance.body {
        let ((first, last), (from, upto)) = (part.lines, part.from);
        let location = format!("{} ({}:{from}-{upto})", part.layer, part.file);
        out.push_str(&format!("lines {first}-{last}\n  from {location}\n"));
    }
    out
}

fn shadows(shadows: &[ExplainedShadow], out: &mut String) {
    for shadow in shadows {
        let verb = if shadow.duplicate {
            "also in"
        } else {
            "shadows"
        };
        let value = inline(&shadow.value);
        out.push_str(&format!(
            "  {verb} {} ({}:{}): {value}\n",
            shadow.layer, shadow.file, shadow.line
        ));
    }
}

fn inline(value: &Value) -> String {
    value.to_json().trim_end().to_owned()
}
