use std::process::ExitCode;

use agpm_ops::{
    DemoReport, DemoRequest, Environment, ExplainReport, ExplainRequest, ManifestUse, MergeInputs,
    MergeRequest, World, demo, explain, merge, success_value,
};
use agpm_text::Value;

use crate::args::DemoArgs;
use crate::commands::provenance;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: DemoArgs, output: &mut Output) -> ExitCode {
    output.finish(demo(world, &DemoRequest { folder: args.dir }), render)
}

fn render(report: DemoReport, shown: &Shown<'_>) -> Rendering {
    let folder = report.shown;
    if shown.json {
        let files = Value::list(report.files.iter().copied());
        let fields = vec![("folder", folder.into()), ("files", files)];
        return Rendering::report(&success_value(fields, shown.diagnostics, shown.sources));
    }
    let world = World { environment: Environment { folder: report.folder.clone(), manifest: None } };
    let inputs = |files: &[&str]| MergeInputs {
        files: files.iter().map(Into::into).collect(),
        layer_names: Vec::new(),
        strategy: None,
        rules: Vec::new(),
        manifest: ManifestUse::Nearest,
    };
    let mut out = format!("A project with three layers is in {folder}\n\n");
    for file in &report.files {
        out.push_str(&format!("  {file}\n"));
    }
    let merged =
        merge(&world, &MergeRequest { inputs: inputs(&report.layers), format: None, explain: false });
    out.push_str(&format!("\n$ agpm merge {}\n", report.layers.join(" ")));
    out.push_str(
        &merged
            .result
            .map_or_else(|_| String::new(), |m| String::from_utf8_lossy(&m.output.to_bytes()).into_owned()),
    );
    let request = ExplainRequest {
        what: format!("file:{}", report.shared),
        pointer: Some(report.pointer.to_owned()),
        inputs: inputs(&[]),
    };
    out.push_str(&format!("\n$ agpm explain {} {}\n", request.what, report.pointer));
    if let Ok(ExplainReport::File { provenance, .. }) = explain(&world, &request).result {
        out.push_str(&provenance::text(&provenance));
    }
    out.push_str(&format!("\nTry it yourself in {folder}:\n"));
    for command in
        ["agpm merge org/CLAUDE.md team/CLAUDE.md", "agpm explain file:CLAUDE.md", "agpm strategies"]
    {
        out.push_str(&format!("  {command}\n"));
    }
    Rendering::Text(out)
}
