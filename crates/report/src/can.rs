//! Who can do something, for a person who needs to know now.

use agpm_app::can::{Ability, CanReport, ProjectAbilities};
use agpm_diag::{counted, visible};
use agpm_trust::CapabilityWay;

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// Characters of a commit that people need.
const SHORT_COMMIT: usize = 7;
/// Projects that the last line names.
const MOST_NAMED: usize = 5;

/// The answer first by project, then in one line, or a document.
pub fn render(report: CanReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines = Vec::new();
    for project in &report.able {
        lines.push(StyledLine::of([StyledPiece::new(
            visible(&project.project),
            LineStyle::Heading,
        )]));
        for ability in &project.abilities {
            lines.extend(ability_lines(ability));
        }
    }
    if !context.quiet {
        lines.push(StyledLine::plain(summary(&report)));
    }
    RenderedReport::Lines(lines)
}

fn ability_lines(ability: &Ability) -> [StyledLine; 2] {
    let who = match &ability.id {
        Some(id) => visible(&id.to_string()),
        None => "not managed".to_owned(),
    };
    let place = match ability.line {
        Some(line) => format!("{}:{line}", ability.path),
        None => ability.path.clone(),
    };
    let tools = if ability.tools.is_empty() {
        String::new()
    } else {
        format!("  {}", ability.tools.join(", "))
    };
    let origin = origin(ability);
    [
        StyledLine::of([
            StyledPiece::plain("  "),
            StyledPiece::new(who, LineStyle::Identity),
            StyledPiece::plain(format!("{origin}  {}{tools}", visible(&place))),
        ]),
        StyledLine::plain(format!(
            "    {} {}",
            way(ability.way),
            visible(&ability.value)
        )),
    ]
}

/// The version to search for elsewhere, or to deny.
fn origin(ability: &Ability) -> String {
    let Some(source) = &ability.source else {
        return String::new();
    };
    let mut words = vec![visible(source)];
    words.extend(ability.version.as_deref().map(visible));
    words.extend(
        ability
            .commit
            .as_ref()
            .map(|commit| commit.chars().take(SHORT_COMMIT).collect()),
    );
    words.dedup();
    format!(" ({})", words.join(" "))
}

fn way(way: CapabilityWay) -> &'static str {
    match way {
        CapabilityWay::Automatic => "by itself:",
        CapabilityWay::WithoutAsking => "without asking:",
        CapabilityWay::AfterAsking => "after asking:",
        CapabilityWay::InProgram => "in a program:",
    }
}

fn summary(report: &CanReport) -> String {
    let checked = counted(report.checked, "project", "projects");
    let able = report.able.len();
    if able == 0 {
        return format!("Nobody can {} in {checked}", report.capability);
    }
    let capability = &report.capability;
    if report.checked == 1 {
        let reasons: usize = report.able.iter().map(|one| one.abilities.len()).sum();
        return format!(
            "Somebody can {capability}: {}",
            counted(reasons, "reason", "reasons")
        );
    }
    let names = |project: &ProjectAbilities| visible(&project.project);
    let mut named: Vec<String> = report.able.iter().take(MOST_NAMED).map(names).collect();
    if able > MOST_NAMED {
        named.push(format!("and {} more", able - MOST_NAMED));
    }
    format!("{able} of {checked} can {capability}: {}", named.join(", "))
}
