use std::process::ExitCode;

use agpm_app::change::{ManifestChange, change_manifest};
use agpm_app::install::TransitiveExecutables;
use agpm_app::manifest::{DependencyId, NewDependency, PatternUse, Replace};
use agpm_app::manifest_text::AfterEdit;
use agpm_app::project::world::{InstallScope, World};
use agpm_app::project::write_mode::WriteMode;
use agpm_report::change::UserSource;

use crate::args::{AddCommand, AddDepArgs, RemoveArgs, RemoveCommand};
use crate::output::Output;

pub(crate) fn add(world: &World, what: AddCommand, output: &mut Output) -> ExitCode {
    let change = match what {
        AddCommand::Source { name, url, force } => {
            let of_user = (world.environment.scope == InstallScope::User).then(|| UserSource {
                name: name.clone(),
                url: url.clone(),
            });
            let change = ManifestChange::AddSource {
                name,
                address: url,
                replace: replace(force),
            };
            return output.finish(change_manifest(world, &change), |report, context| {
                agpm_report::change::render_source(report, of_user.as_ref(), context)
            });
        }
        AddCommand::Dep(args) => add_dependency(args),
        AddCommand::Mcp(args) => return super::add::run_server(world, args, output),
    };
    output.finish(change_manifest(world, &change), agpm_report::change::render)
}

fn add_dependency(args: AddDepArgs) -> ManifestChange {
    let AddDepArgs {
        kind,
        spec,
        name,
        tools,
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
            tools,
            target,
            filename,
        }),
        replace: replace(force),
        then: match (no_install, allow_executables) {
            (true, _) => AfterEdit::Leave,
            (_, true) => AfterEdit::Install(TransitiveExecutables::Allowed),
            _ => AfterEdit::Install(TransitiveExecutables::AsManifest),
        },
    }
}

pub(crate) fn remove(world: &World, args: RemoveArgs, output: &mut Output) -> ExitCode {
    let writing = if args.dry_run {
        WriteMode::Show
    } else {
        WriteMode::Apply
    };
    let (ids, pattern_use) = match args.what {
        Some(RemoveCommand::Source { name }) => {
            let change = ManifestChange::RemoveSource { name, writing };
            let changed = change_manifest(world, &change);
            return output.finish(changed, agpm_report::change::render);
        }
        Some(RemoveCommand::Dep { kind, name }) => {
            let id = match name {
                Some(name) => DependencyId::Typed { kind, name },
                None => DependencyId::Word(kind),
            };
            (vec![id], PatternUse::Kept)
        }
        None => {
            let ids = args.names.into_iter().map(DependencyId::Word).collect();
            let pattern_use = if args.exclude {
                PatternUse::Excluded
            } else {
                PatternUse::Kept
            };
            (ids, pattern_use)
        }
    };
    let change = ManifestChange::RemoveDependencies {
        ids,
        pattern_use,
        writing,
    };
    output.finish(change_manifest(world, &change), agpm_report::change::render)
}

pub(crate) fn replace(force: bool) -> Replace {
    if force {
        Replace::Allowed
    } else {
        Replace::Refused
    }
}
