use std::process::ExitCode;

use agpm_ops::{
    Addition, LineagePlace, PersonaKind, PersonasReport, ProfileKinds, ProfileReport,
    ProfileRequest, Submodules, Warnings, World, markdown, personas, profile,
};
use agpm_text::{Format, Value, print};

use crate::args::{ProfileArgs, ProfileFormat, ProfileKind};
use crate::commands::table::table;
use crate::commands::{two_formats, word};
use crate::draw::one_line;
use crate::output::{Output, Rendering};

const HEAD: [&str; 3] = ["Persona", "Kinds", "Levels"];

pub(crate) fn run(world: &World, args: ProfileArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != ProfileFormat::Json)
    {
        return output.finish(two_formats::<()>(&word(other)), |(), _| {
            Rendering::Text(String::new())
        });
    }
    let format = if output.json {
        Some(ProfileFormat::Json)
    } else {
        args.format
    };
    output.json |= format == Some(ProfileFormat::Json);
    let submodules = if args.submodules {
        Submodules::All
    } else {
        Submodules::Own
    };
    let place = LineagePlace {
        path: args.path,
        ceiling: args.ceiling,
        submodules,
    };
    let warnings = if args.strict {
        Warnings::Stop
    } else {
        Warnings::Tell
    };
    let Some(slug) = args.slug else {
        return output.finish(personas(world, &place, warnings), |report, _| {
            list(&report, format)
        });
    };
    let kinds = match args.kind {
        ProfileKind::Agent => ProfileKinds::One(PersonaKind::Agent),
        ProfileKind::Agenda => ProfileKinds::One(PersonaKind::Agenda),
        ProfileKind::Agency => ProfileKinds::One(PersonaKind::Agency),
        ProfileKind::All => ProfileKinds::All,
    };
    let asked = [
        (args.root_chain, Addition::Chain),
        (args.with_sources, Addition::Sources),
        (args.projections, Addition::Projections),
    ];
    let additions = asked
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, addition)| addition)
        .collect();
    let request = ProfileRequest {
        slug,
        kinds,
        place,
        additions,
        warnings,
    };
    output.finish(profile(world, &request), |report, _| {
        render(&report, &request.slug, kinds, format)
    })
}

fn render(
    report: &ProfileReport,
    slug: &str,
    kinds: ProfileKinds,
    format: Option<ProfileFormat>,
) -> Rendering {
    match (format, kinds, &report.value) {
        (Some(ProfileFormat::Md), ProfileKinds::All, Value::Map(kinds)) => {
            let pages = kinds
                .iter()
                .filter(|(_, value)| !matches!(value, Value::Null));
            let pages: Vec<String> = pages
                .map(|(kind, value)| markdown(value, &format!("{slug}: {kind}")))
                .collect();
            Rendering::Text(pages.join("\n"))
        }
        (Some(ProfileFormat::Md), _, value) => Rendering::Text(markdown(value, slug)),
        (format, _, value) => Rendering::Data(in_format(value, format)),
    }
}

fn list(report: &PersonasReport, format: Option<ProfileFormat>) -> Rendering {
    let rows: Vec<Vec<String>> = report
        .personas
        .iter()
        .map(|row| {
            vec![
                one_line(&row.slug),
                row.kinds.join(", "),
                one_line(&row.levels.join(", ")),
            ]
        })
        .collect();
    match format {
        None if rows.is_empty() => {
            Rendering::Empty("No personas in `.clia/agents` of this directory and its parents.")
        }
        None => Rendering::Text(table(&HEAD, &rows)),
        Some(ProfileFormat::Md) => {
            let cell = |cell: &String| cell.replace('|', "\\|");
            let line = |cells: &[String]| {
                format!(
                    "| {} |\n",
                    cells.iter().map(cell).collect::<Vec<_>>().join(" | ")
                )
            };
            let head = HEAD.map(str::to_owned);
            let rule = HEAD.map(|_| "---".to_owned());
            let rows: String = rows.iter().map(|row| line(row)).collect();
            Rendering::Text(format!("{}{}{rows}", line(&head), line(&rule)))
        }
        format => Rendering::Data(in_format(&report.value(), format)),
    }
}

fn in_format(value: &Value, format: Option<ProfileFormat>) -> String {
    match format {
        Some(ProfileFormat::Yaml) => print(value, Format::Yaml).unwrap_or_else(|_| value.to_json()),
        _ => value.to_json(),
    }
}
