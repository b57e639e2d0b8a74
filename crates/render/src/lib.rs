//! Templates and patches. Templates are untrusted, so the engine is strict and limited, without environment, clock or
//! loader.
//!
//! The crate handles values and strings, not resources or files.

mod convert;
mod detect;
mod edited_fields;
mod error;
mod explain;
mod files;
mod filters;
mod guard;
mod limits;
mod links;
mod literal;
mod names;
mod patch;
mod tags;

use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

pub use convert::{
    ConvertError, ConvertedEntries, ConvertedFile, FieldOutcome, FieldOutcomeKind,
    InstructionBlock, agent_name, convert_file, convert_instruction, convert_patched_file,
    foreign_format, hook_entries, instruction_block, is_native, is_native_instruction,
    server_entries, server_names,
};
pub use detect::{has_tags, is_template, templating};
pub use edited_fields::edited_fields;
pub use error::RenderError;
use error::TOO_LARGE;
pub use files::TemplateFiles;
use files::{RenderRun, TemplateContext};
use limits::{DEEPEST_TEMPLATE, LARGEST_OUTPUT};
pub use links::{FileLink, file_links};
pub use names::TemplateNames;
pub use patch::{FieldChange, PatchError, PatchedDocument, patch};

/// The result of rendering a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderedTemplate {
    /// The text.
    Text {
        /// The rendered text.
        text: String,
        /// The provided files that it used, in template order.
        read: Vec<String>,
    },
    /// Files that have to be provided first, in template order.
    Needs(Vec<String>),
}

/// The template engine, configured once for many renders.
#[derive(Debug)]
pub struct TemplateRenderer {
    environment: Environment<'static>,
}

impl Default for TemplateRenderer {
    fn default() -> Self {
        TemplateRenderer::new()
    }
}

impl TemplateRenderer {
    /// An engine with bounded features only: no functions, no loader, few filters and tests.
    pub fn new() -> Self {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.expect("the usual delimiters"));
        environment.set_recursion_limit(DEEPEST_TEMPLATE);
        environment.set_debug(true);
        environment.set_formatter(formatter);
        filters::add(&mut environment);
        TemplateRenderer { environment }
    }

    /// Renders a template.
    pub fn render(
        &self,
        template: &str,
        names: &TemplateNames,
        files: &TemplateFiles,
    ) -> Result<RenderedTemplate, RenderError> {
        let growth = guard::check(template)?;
        let mut environment = self.environment.clone();
        environment.set_fuel(Some(growth.fuel(names.longest().max(files.longest()))));
        let run = RenderRun::new(files);
        let result = fill(&environment, template, names, &run);
        let used = run.used();
        if used.needed.is_empty() || used.too_many {
            result.map(|text| RenderedTemplate::Text {
                text,
                read: used.read,
            })
        } else {
            // The error may be caused by missing files.
            Ok(RenderedTemplate::Needs(used.needed))
        }
    }
}

fn fill(
    environment: &Environment<'_>,
    template: &str,
    names: &TemplateNames,
    run: &Arc<RenderRun>,
) -> Result<String, RenderError> {
    let explain = |error: minijinja::Error| explain::explain(&error, template, names);
    let compiled = environment.template_from_str(template).map_err(explain)?;
    let context = TemplateContext {
        names: names.clone(),
        run: Arc::clone(run),
    };
    let mut output = BoundedWriter {
        bytes: Vec::with_capacity(template.len()),
        full: false,
    };
    let result = compiled
        .render_captured_to(minijinja::Value::from_object(context), &mut output)
        .map(drop);
    match result {
        Err(_) if output.full => Err(RenderError::too_large()),
        Err(error) => Err(explain(error)),
        Ok(()) => Ok(String::from_utf8(output.bytes).expect("the engine writes whole strings")),
    }
}

/// Prints booleans as in TOML, everything else unchanged.
fn formatter(
    out: &mut minijinja::Output<'_>,
    state: &mut minijinja::State<'_, '_>,
    value: &minijinja::Value,
) -> Result<(), minijinja::Error> {
    match bool::try_from(value.clone()) {
        Ok(truth) if value.kind() == ValueKind::Bool => out
            .write_str(if truth { "true" } else { "false" })
            .map_err(Into::into),
        _ => minijinja::escape_formatter(out, state, value),
    }
}

/// A writer with a size limit.
struct BoundedWriter {
    bytes: Vec<u8>,
    full: bool,
}

impl std::io::Write for BoundedWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > LARGEST_OUTPUT {
            self.full = true;
            return Err(std::io::Error::other(TOO_LARGE));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use agpm_text::Value;

    use super::*;

    fn render(template: &str, context: &Value) -> Result<String, RenderError> {
        match TemplateRenderer::new().render(
            template,
            &TemplateNames::new(context),
            &TemplateFiles::default(),
        )? {
            RenderedTemplate::Text { text, .. } => Ok(text),
            RenderedTemplate::Needs(paths) => panic!("{paths:?}"),
        }
    }

    fn context() -> Value {
        let project = Value::map([
            ("language", Value::from("rust")),
            ("width", Value::from(100usize)),
            ("tests", Value::from(true)),
            ("envs", Value::list(["a", "b"])),
        ]);
        Value::map([("agpm", Value::map([("project", project)]))])
    }

    #[test]
    fn names_filters_and_branches_work() {
        for (template, expected) in [
            (
                "snippets/{{ agpm.project.language }}-guide.md",
                "snippets/rust-guide.md",
            ),
            ("{{ agpm.project.env | default(value=\"dev\") }}", "dev"),
            ("{{ agpm.project.env | default('dev') }}", "dev"),
            (
                "{{ agpm.project.language | default(value=\"dev\") }}",
                "rust",
            ),
            ("{% if agpm.project.tests %}yes{% endif %}", "yes"),
            (
                "{% if agpm.project.nothing %}yes{% else %}no{% endif %}",
                "no",
            ),
            ("{{ agpm.project.envs | join(sep='+') }}", "a+b"),
            ("{{ 'a-b' | replace(from='-', to='_') | upper }}", "A_B"),
            (
                "{{ agpm.project.envs | length }} {{ agpm.project.width }}\n",
                "2 100\n",
            ),
            ("plain <b>\n", "plain <b>\n"),
            ("{{ agpm.project.tests }}", "true"),
        ] {
            assert_eq!(
                render(template, &context()),
                Ok(expected.to_owned()),
                "{template}"
            );
        }
    }

    #[test]
    fn undefined_variables_and_endless_loops_are_errors_with_a_location() {
        let error = |template: &str| render(template, &context()).expect_err("an error");
        let undefined = error("x {{ agpm.project.missing }}");
        assert_eq!(undefined.range, Some(5..25));
        assert!(undefined.message.contains("undefined"), "{undefined}");
        assert!(error("{{ nothing.at.all }}").message.contains("undefined"));
        let list = format!("[{}]", "1,".repeat(900));
        let nested = format!(
            "{{% for a in {list} %}}{{% for b in {list} %}}{{% if a %}}.{{% endif %}}{{% endfor %}}{{% endfor %}}"
        );
        assert!(
            error(&nested).message.contains("too many steps"),
            "{}",
            error(&nested)
        );
        assert!(render("{% if %}", &context()).is_err());
        assert!(render("{% include 'x' %}", &context()).is_err());
        assert!(render("{{ env('HOME') }}", &context()).is_err());
    }

    #[test]
    fn hostile_templates_end_soon_and_small() {
        let doubling = "{% set a = 'xxxxxxxxxx' %}".to_owned() + &"{% set a = a ~ a %}".repeat(40);
        let replacing = "{% set a = 'x' %}{{ a".to_owned()
            + &" | replace(from='x', to='xxxxxxxxxx')".repeat(11)
            + " }}";
        let wide = "{% set a = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' %}";
        let many = format!("[{}]", "1,".repeat(900));
        let output = format!(
            "{wide}{{% for i in {many} %}}{{% for j in {many} %}}{{{{ a }}}}{{% endfor %}}{{% endfor %}}"
        );
        for template in [
            doubling,
            replacing,
            output,
            "{{ 'x' * 1000000000 }}".to_owned(),
            "{% set ns = namespace(v='x') %}{{ ns.v }}".to_owned(),
            "{{ '%1000000000d' | format(1) }}".to_owned(),
            "{{ [1] | batch(2000000000, 0) }}".to_owned(),
            "{{ range(90000) | join(sep='x') }}".to_owned(),
            format!("{{{{ {}1 }}}}", "not ".repeat(30_000)),
            format!("{{{{ 'a'{} }}}}", "|upper".repeat(50_000)),
            format!("{{{{ 1{} }}}}", "+1".repeat(100_000)),
            format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(15_000)),
            "{% macro f(x) %}{{ f(x ~ x) }}{% endmacro %}{{ f('xx') }}".to_owned(),
        ] {
            let excerpt: String = template.chars().take(60).collect();
            assert!(render(&template, &context()).is_err(), "{excerpt}");
        }
    }
}
