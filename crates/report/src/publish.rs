//! What was published, as text or as a document.

use agpm_app::publish::{PublishFormat, PublishReport};
use agpm_diag::counted;

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};

/// The report as text or as a document; with `details` also every resource, and how to sign.
pub fn render(
    report: PublishReport,
    details: PublishDetails,
    context: &RenderContext<'_>,
) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut text = String::new();
    if details == PublishDetails::All {
        for resource in &report.resources {
            let files = counted(resource.files, "file", "files");
            text.push_str(&format!("  {}  {files}\n", one_line(&resource.id)));
        }
    }
    let resources = counted(report.resources.len(), "resource", "resources");
    let target = one_line(&report.target);
    let version = report.version.as_deref().map(one_line);
    let version = version
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let line = match (report.unchanged, report.dry_run) {
        (true, _) => format!("{target}{version} exists with the same content"),
        (false, true) => format!("Would publish {resources} to {target}{version}"),
        (false, false) => format!("Published {resources} to {target}{version}"),
    };
    text.push_str(&line);
    if !report.unchanged && !report.dry_run {
        text.push_str(&sent_words(&report));
    }
    text.push('\n');
    if let Some(digest) = &report.digest {
        text.push_str(&format!("digest: {digest}\n"));
        if details == PublishDetails::All
            && let Some(repository) = report.target.strip_prefix("oci://")
        {
            text.push_str(&format!("sign: cosign sign {repository}@{digest}\n"));
        }
    }
    RenderedReport::Text(text)
}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishDetails {
    /// The result.
    Result,
    /// Also every resource, and how to sign.
    All,
}

fn sent_words(report: &PublishReport) -> String {
    let things = match report.format {
        PublishFormat::Site => counted(report.sent, "file", "files"),
        _ => counted(report.sent, "blob", "blobs"),
    };
    let kept = match report.present {
        0 => String::new(),
        present => format!(", {present} existed"),
    };
    format!(": {things} sent{kept}")
}
