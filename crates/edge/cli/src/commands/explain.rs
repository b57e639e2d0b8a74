use std::process::ExitCode;

use agpm_diag::Code;
use agpm_ops::{ExplainReport, ExplainRequest, ExplainedResource, World, explain, success_value};
use agpm_text::{Pointer, Value};

use crate::args::ExplainArgs;
use crate::commands::bottle::secrets;
use crate::commands::{inputs, provenance};
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: ExplainArgs, output: &mut Output) -> ExitCode {
    output.secrets = secrets(&args.bottle);
    let request = ExplainRequest {
        what: args.what,
        pointer: args.pointer,
        inputs: inputs(args.fold, args.from),
        secrets: output.secrets,
        json_file: args.bottle.json_file,
    };
    output.finish(explain(world, &request), render)
}

fn render(report: ExplainReport, shown: &Shown<'_>) -> Rendering {
    match &report {
        ExplainReport::Page(code) if shown.json => {
            Rendering::report(&success_value(page_fields(code), shown.diagnostics, shown.sources))
        }
        ExplainReport::Page(code) => Rendering::Text(code.page.to_owned()),
        ExplainReport::Values { subject, name, pointer, provenance } if shown.json => {
            let place =
                [(subject.word(), Value::from(name.as_str())), ("pointer", pointer.to_string().into())];
            let fields = place.into_iter().chain(provenance.fields()).collect();
            Rendering::report(&success_value(fields, shown.diagnostics, shown.sources))
        }
        ExplainReport::Values { provenance, .. } => text(&provenance::text(provenance)),
        ExplainReport::Resource { resource, pointer, provenance } if shown.json => {
            let place =
                [(resource.kind(), Value::from(resource.name())), ("pointer", pointer.to_string().into())];
            let fields = place.into_iter().chain([("resource", resource.value())]).chain(provenance.fields());
            Rendering::report(&success_value(fields.collect(), shown.diagnostics, shown.sources))
        }
        ExplainReport::Resource { resource, pointer, provenance } => {
            // Who asks for one place wants to know of that alone.
            let head = if *pointer == Pointer::root() { head(resource) } else { String::new() };
            text(&format!("{head}{}", provenance::text(provenance)))
        }
    }
}

fn text(text: &str) -> Rendering {
    Rendering::Text(text.lines().map(|line| format!("{}\n", one_line(line))).collect())
}

fn head(resource: &ExplainedResource) -> String {
    let facts = resource.facts().into_iter().map(|(what, fact)| format!("  {what}: {fact}\n"));
    format!("{} {}\n{}", resource.kind(), resource.name(), facts.collect::<String>())
}

fn page_fields(code: &Code) -> Vec<(&'static str, Value)> {
    vec![
        ("code", code.name.into()),
        ("severity", code.severity.to_string().into()),
        ("summary", code.parsed().summary.into()),
        ("page", code.page.into()),
    ]
}
