use std::process::ExitCode;

use agpm_app::add::{AddRequest, AddSubject, NewServer, add};
use agpm_app::install::TransitiveExecutables;
use agpm_app::manifest_text::AfterEdit;
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;
use agpm_model::PartNames;
use agpm_resolve::discover::SelectionMode;

use crate::args::{AddArgs, AddMcpArgs};
use crate::output::Output;
use crate::picker::TerminalPicker;
use crate::terminal::can_ask;

pub(crate) fn run(world: &World, args: AddArgs, output: &mut Output) -> ExitCode {
    let then = match (args.no_install, args.allow_executables) {
        (true, _) => AfterEdit::Leave,
        (_, true) => AfterEdit::Install(TransitiveExecutables::Allowed),
        _ => AfterEdit::Install(TransitiveExecutables::AsManifest),
    };
    let request = AddRequest {
        subject: AddSubject::Resources(args.words),
        kind: args.kind,
        name: args.name,
        tools: args.tools,
        target: args.target,
        filename: args.filename,
        exclude: args.exclude,
        names: if args.prefix {
            PartNames::Prefixed
        } else {
            PartNames::Own
        },
        selection: if args.all {
            SelectionMode::All
        } else {
            SelectionMode::Single
        },
        then,
        writing: if args.dry_run {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
        picker: (!args.yes && !output.json && can_ask()).then_some(&TerminalPicker),
    };
    output.finish(add(world, &request), agpm_report::add::render)
}

/// `add mcp`.
pub(crate) fn run_server(world: &World, args: AddMcpArgs, output: &mut Output) -> ExitCode {
    let server = NewServer {
        name: args.name,
        url: args.url,
        command: args.command,
        transport: args.transport,
        variables: args.variables,
        headers: args.headers,
        directory: args.directory,
    };
    let plain = AddRequest::plain(AddSubject::Server(server));
    let request = AddRequest {
        tools: args.tools,
        then: if args.no_install {
            AfterEdit::Leave
        } else {
            plain.then
        },
        writing: if args.dry_run {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
        picker: (!args.yes && !output.json && can_ask()).then_some(&TerminalPicker),
        ..plain
    };
    output.finish(add(world, &request), agpm_report::add::render)
}
