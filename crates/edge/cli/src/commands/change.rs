use std::process::ExitCode;

use agpm_ops::{
    ChangeReport, DependencyId, Executables, ManifestChange, NewDependency, Replace, Scope, Then,
    World, add_address, change_manifest,
};
use agpm_text::Value;

use crate::args::{AddCommand, AddDepArgs, RemoveCommand};
use crate::commands::install;
use crate::output::{Output, Rendering, Shown};

/// A user's sources may be in two files, which serve different dependencies.
const USER_SOURCE: &str = "Only dependencies added with `-g` use this source. \
To use it in every project, run `agpm config add-source NAME URL`\n";

pub(crate) fn add(world: &World, what: AddCommand, output: &mut Output) -> ExitCode {
    let change = match what {
        AddCommand::Source { name, url, force } => {
            let change = ManifestChange::AddSource {
                name,
                address: url,
                replace: replace(force),
            };
            return output.finish(change_manifest(world, &change), |report, shown| {
                added_source(report, world.environment.scope, shown)
            });
        }
        AddCommand::Dep(args) => add_dependency(args),
        AddCommand::Address(words) => {
            return output.finish(
                add_address(words.first().map_or("", String::as_str)),
                render,
            );
        }
    };
    output.finish(change_manifest(world, &change), render)
}

fn added_source(report: ChangeReport, scope: Scope, shown: &Shown<'_>) -> Rendering {
    match (render(report, shown), scope) {
        (Rendering::Done(text), Scope::User) => Rendering::Done(text + USER_SOURCE),
        (rendering, _) => rendering,
    }
}

fn add_dependency(args: AddDepArgs) -> ManifestChange {
    let AddDepArgs {
        kind,
        spec,
        name,
        tool,
        target,
        filename,
        force,
        no_install,
        allow_executables,
    } = args;
    ManifestChange::AddDependency {
        new: Box::new(NewDependency {
            kind,
            spec,
            name,
            tool,
            target,
            filename,
        }),
        replace: replace(force),
        then: match (no_install, allow_executables) {
            (true, _) => Then::Leave,
            (_, true) => Then::Install(Executables::Allowed),
            _ => Then::Install(Executables::AsManifest),
        },
    }
}

pub(crate) fn remove(world: &World, what: RemoveCommand, output: &mut Output) -> ExitCode {
    let change = match what {
        RemoveCommand::Source { name } => ManifestChange::RemoveSource { name },
        RemoveCommand::Dep { kind, name } => {
            let id = match name {
                Some(name) => DependencyId::Typed { kind, name },
                None => DependencyId::Word(kind),
            };
            ManifestChange::RemoveDependency { id }
        }
    };
    output.finish(change_manifest(world, &change), render)
}

pub(crate) fn replace(force: bool) -> Replace {
    if force {
        Replace::Allowed
    } else {
        Replace::Refused
    }
}

fn render(report: ChangeReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        let mut fields: Vec<(&'static str, Value)> = vec![("done", report.done.into())];
        fields.extend(
            report
                .installed
                .iter()
                .flat_map(agpm_ops::InstallReport::fields),
        );
        return shown.report(fields);
    }
    let installed = report
        .installed
        .map(|report| install::text(&report, shown))
        .unwrap_or_default();
    Rendering::Done(format!("{}: agpm.toml changed\n{installed}", report.done))
}
