//! The JSON that commands print, as tables: `agpm schema output/COMMAND` and the reference are made of them.
//!
//! The tables know every field. A test compares them with what commands really print, so a field that is added to a report
//! without its row fails.

mod changes;
mod checks;
mod integrations;
mod layers;
mod schema;
mod setup;
mod shared;
mod views;

use agpm_model::{Definition, ValueForm, any_of_schema};
use agpm_text::Value;

pub use schema::OutputSchema;
pub use shared::FAILURE;

const GROUPS: [&[OutputSchema]; 6] = [
    changes::OUTPUTS,
    views::OUTPUTS,
    checks::OUTPUTS,
    layers::OUTPUTS,
    integrations::OUTPUTS,
    setup::OUTPUTS,
];

/// The schemas of all commands.
pub fn outputs() -> impl Iterator<Item = &'static OutputSchema> {
    GROUPS.into_iter().flatten()
}

/// The JSON Schema of what a command prints. A command with subcommands has any of their documents.
pub fn output_schema(command: &str) -> Option<Value> {
    let is_selected = |output: &&OutputSchema| {
        let rest = output.command.strip_prefix(command);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let matching: Vec<&OutputSchema> = outputs().filter(is_selected).collect();
    let about = match matching.as_slice() {
        [] => return None,
        [output] => output.about.to_owned(),
        several => format!("One of {} documents", several.len()),
    };
    let forms = matching.iter().flat_map(|output| output.forms);
    let forms: Vec<ValueForm> = forms.copied().chain([ValueForm::Table(&FAILURE)]).collect();
    Some(any_of_schema(
        &format!("agpm {command} --json"),
        &about,
        &forms,
    ))
}

/// The commands that have a schema, those with subcommands included.
pub fn output_commands() -> Vec<&'static str> {
    let words = outputs().flat_map(|output| {
        let parent = output.command.split_once(' ').map(|(parent, _)| parent);
        [Some(output.command), parent].into_iter().flatten()
    });
    let mut commands: Vec<&str> = words.collect();
    commands.sort_unstable();
    commands.dedup();
    commands
}

/// The objects that several documents have, by name.
pub fn output_definitions() -> Vec<&'static Definition> {
    let mut definitions = Vec::new();
    for form in outputs().flat_map(|output| output.forms) {
        form.add_definitions(&mut definitions);
    }
    ValueForm::Table(&FAILURE).add_definitions(&mut definitions);
    definitions.sort_by_key(|definition| definition.name);
    definitions
}
