//! Templates: their names, files, errors and limits.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_render::{RenderError, RenderedTemplate, TemplateFiles, TemplateNames, TemplateRenderer};
use agpm_text::Value;
use proptest::prelude::*;

fn names() -> TemplateNames {
    let best = Value::map([
        ("content", Value::from("Be good.\n")),
        ("name", Value::from("best-practices")),
    ]);
    let project = Value::map([
        ("language", Value::from("rust")),
        ("guide", Value::from("docs/guide.md")),
        ("envs", Value::list(["prod", "dev"])),
        (
            "zoo",
            Value::map([
                ("z", Value::from(1usize)),
                ("a", Value::from(2usize)),
                ("m", Value::from(3usize)),
            ]),
        ),
        ("none", Value::list::<Value>([])),
    ]);
    TemplateNames::new(&Value::map([("agpm", Value::map([("project", project)]))]))
        .with(&["agpm", "resource", "name"], &Value::from("own"))
        .with(&["agpm", "deps", "snippets", "best_practices"], &best)
}

fn files() -> TemplateFiles {
    let mut files = TemplateFiles::default();
    files.provide(
        "docs/guide.md",
        Ok("\u{feff}---\na: 1\n---\n# Guide {{ agpm.project.language }}\n".to_owned()),
    );
    files.provide("open.markdown", Ok("---\nno end\n".to_owned()));
    files.provide("notes.txt", Ok("---\na: 1\n---\nplain\n".to_owned()));
    files.provide("secret.md", Err("it is outside the project".to_owned()));
    files
}

fn rendered(template: &str) -> Result<RenderedTemplate, RenderError> {
    TemplateRenderer::new().render_markdown(template, &names(), &files())
}

fn text(template: &str) -> String {
    match rendered(template) {
        Ok(RenderedTemplate::Text { text, .. }) => text,
        other => panic!("{template}: {other:?}"),
    }
}

#[test]
fn filters_take_arguments_by_name_and_by_position() {
    for (template, expected) in [
        ("{{ agpm.project.x | default(value='d') }}", "d"),
        ("{{ agpm.project.x | default('d') }}", "d"),
        ("{{ agpm.project.x | default }}", ""),
        ("{{ agpm.project.language | default(value='d') }}", "rust"),
        ("{{ agpm.project.envs | join(sep=', ') }}", "prod, dev"),
        ("{{ agpm.project.envs | join('+') }}", "prod+dev"),
        ("{{ agpm.project.envs | join }}", "proddev"),
        ("{{ 'a-b-c' | replace(from='-', to='_') }}", "a_b_c"),
        ("{{ 'a-b-c' | replace('-', '_') }}", "a_b_c"),
        ("{{ 'a-b-c' | replace('-', to='') }}", "abc"),
        (
            "{{ 'aB' | upper }}{{ 'aB' | lower() }}{{ ' x ' | trim }}",
            "ABabx",
        ),
        (
            "{{ 'äb' | length }}{{ agpm.project.envs | length }}{{ agpm.project.zoo | length }}",
            "223",
        ),
        (
            "{{ agpm.project.envs | first }}{{ agpm.project.envs | last }}",
            "proddev",
        ),
        ("{{ 7 | upper }}", "7"),
        (
            "{{ 'docs/guide.md' | content }}",
            "# Guide {{ agpm.project.language }}\n",
        ),
        (
            "{{ agpm.project.guide | content | upper | trim }}",
            "# GUIDE {{ AGPM.PROJECT.LANGUAGE }}",
        ),
        ("{{ 'open.markdown' | content }}", "---\nno end\n"),
        ("{{ 'notes.txt' | content }}", "---\na: 1\n---\nplain\n"),
        (
            "{% for k in agpm.project.zoo %}{{ k }}{{ agpm.project.zoo[k] }}{% endfor %}",
            "z1a2m3",
        ),
        (
            "{{ agpm.deps.snippets.best_practices.content }}",
            "Be good.\n",
        ),
        (
            "{{ agpm.deps.snippets['best_practices'].name }} {{ agpm.resource.name }}",
            "best-practices own",
        ),
        (
            "{{ agpm.project.zoo }} {{ agpm.project.envs }}",
            "[object] ['prod', 'dev']",
        ),
        ("{% set l = agpm.project.language | upper %}{{ l }}", "RUST"),
        (
            "{% for e in agpm.project.envs %}\n```literal\n{{ x }}\n```\n{% endfor %}",
            "\n```literal\n{{ x }}\n```\n\n```literal\n{{ x }}\n```\n",
        ),
    ] {
        assert_eq!(text(template), expected, "{template}");
    }
}

#[test]
fn wrong_arguments_are_errors() {
    for template in [
        "{{ 'a' | upper(1) }}",
        "{{ 'a' | replace(form='a') }}",
        "{{ [1] | join(separator='a') }}",
        "{{ 'a' | nothing }}",
    ] {
        assert!(rendered(template).is_err(), "{template}");
    }
}

#[test]
fn files_that_are_missing_yet_are_required_all_at_once() {
    let template = "{{ 'a.md' | content }}{% if agpm.project.tests %}{{ 'never.md' | content }}{% endif %}\n\
        {{ 'docs/guide.md' | content }}{{ ('b.txt' | content ~ '.md') | content }}{{ 'a.md' | content }}{{ 'c.md' | content }}";
    let (renderer, names, mut files) = (TemplateRenderer::new(), names(), files());
    let mut asked = Vec::new();
    while let RenderedTemplate::Needs(paths) = renderer.render(template, &names, &files).unwrap() {
        paths
            .iter()
            .for_each(|path| files.provide(path, Ok(path.replace(['.', '/'], ""))));
        asked.push(paths);
    }
    assert_eq!(asked, [vec!["a.md", "b.txt", "c.md"], vec!["btxt.md"]]);
    let RenderedTemplate::Text { text, read } = renderer.render(template, &names, &files).unwrap()
    else {
        panic!("a text")
    };
    assert_eq!(
        text,
        "amd\n# Guide {{ agpm.project.language }}\nbtxtmdamdcmd"
    );
    assert_eq!(read, ["a.md", "docs/guide.md", "b.txt", "btxt.md", "c.md"]);
}

#[test]
fn errors_say_which_name_where_and_what_instead() {
    let table: &[(&str, &str, &str, &str)] = &[
        (
            "x {{ agpm.project.langage }}",
            "agpm.project.langage",
            "`agpm.project.langage` is undefined",
            "did you mean `language`?",
        ),
        (
            "é {{ 'é' ~ agpm.project.langage ~ 'é' }}",
            "agpm.project.langage",
            "undefined",
            "did you mean",
        ),
        (
            "{{ agpm.project.wholly_other }}",
            "agpm.project.wholly_other",
            "undefined",
            "available in `agpm.project`: `language`, `guide`",
        ),
        (
            "{{ agpm.project.zoo.other.r }}",
            "agpm.project.zoo.other",
            "`agpm.project.zoo.other` is undefined",
            "`z`, `a`, `m`; define it under `[project]`",
        ),
        (
            "{{ agmp.project.x }}",
            "agmp",
            "`agmp` is undefined",
            "did you mean `agpm`?",
        ),
        (
            "{{ agpm.project.langage | upper }}",
            "agpm.project.langage",
            "undefined",
            "did you mean `language`?",
        ),
        (
            "{{ agpm.project.langage | join(sep='') }}",
            "agpm.project.langage",
            "undefined",
            "did you mean `language`?",
        ),
        (
            "{{ 'a' ~ agpm.project.langage }}",
            "agpm.project.langage",
            "undefined",
            "did you mean `language`?",
        ),
        (
            "{% for x in agpm.project.env %}{% endfor %}",
            "agpm.project.env",
            "undefined",
            "did you mean `envs`?",
        ),
        (
            "{{ agpm.deps.snippets.best-practices.content }}",
            "agpm.deps.snippets.best-practices.content",
            "is read as a subtraction",
            "write `agpm.deps.snippets.best_practices.content`",
        ),
        (
            "{{ agpm.project.language-x }}",
            "agpm.project.language-x",
            "subtraction",
            "underscores",
        ),
        (
            "{{ agpm.deps.agents.x }}",
            "agpm.deps.agents",
            "undefined",
            "`snippets`; declare it under `dependencies`",
        ),
        (
            "{% for z in agpm.project.envs %}{{ z.q }}{% endfor %}",
            "z.q",
            "`z.q` is undefined",
            "default(value=",
        ),
        (
            "a {{ 'secret.md' | content }}",
            "content",
            "cannot read `secret.md`: it is outside the project",
            "write a path relative to the project",
        ),
        (
            "{{ agpm.project.x | content }}",
            "agpm.project.x",
            "undefined",
            "`[project]`",
        ),
        (
            "{% include 'x' %}",
            "{% include 'x' %}",
            "templates do not support `{% include %}`",
            "content",
        ),
        (
            "{%- extends 'x' ignore missing %}",
            "{%- extends 'x' ignore missing %}",
            "templates do not support",
            "content",
        ),
        (
            "{% import 'x' as y %}",
            "{% import 'x' as y %}",
            "templates do not support",
            "content",
        ),
        (
            "{% from 'x' import y %}",
            "{% from 'x' import y %}",
            "templates do not support",
            "content",
        ),
        (
            "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
            "{% macro f(x) %}",
            "templates do not support",
            "write the content in place",
        ),
        ("{{ env('HOME') }}", "env('HOME')", "env is unknown", ""),
        (
            "{{ get_env(name=\"HOME\") }}",
            "get_env(name=\"HOME\")",
            "get_env is unknown",
            "",
        ),
        ("{{ env.HOME }}", "env", "`env` is undefined", "`agpm`"),
        ("{% if %}", "", "syntax error", "raw"),
    ];
    for (template, position, message, help) in table {
        let error = rendered(template).expect_err(template);
        assert!(error.message.contains(message), "{template}: {error:?}");
        assert!(error.help.contains(help), "{template}: {error:?}");
        let range = error
            .range
            .unwrap_or_else(|| panic!("{template} has no place"));
        assert!(
            position.is_empty() || template[range.clone()] == **position,
            "{template}: {:?}",
            &template[range]
        );
    }
}

fn big(bytes: usize) -> String {
    "0123456789abcde\n".repeat(bytes / 16)
}

/// A template that loops `900 * 900` times.
fn rounds(inside: &str) -> String {
    let list = format!("[{}]", "1,".repeat(900));
    format!("{{% for i in {list} %}}{{% for j in {list} %}}{inside}{{% endfor %}}{{% endfor %}}")
}

#[test]
fn hostile_templates_end_soon_and_small() {
    let mut files = files();
    files.provide("big.txt", Ok(big(1 << 20)));
    let names = names().with(
        &["agpm", "deps", "snippets", "big", "content"],
        &Value::from(big(1 << 20)),
    );
    let big_joins = format!(
        "{{{{ agpm.deps.snippets.big.content{} }}}}",
        " ~ agpm.deps.snippets.big.content".repeat(60)
    );
    for template in [
        rounds("{{ 'big.txt' | content }}"),
        rounds("{{ agpm.deps.snippets.big.content }}"),
        rounds("{% if 'big.txt' | content | upper %}.{% endif %}"),
        rounds(
            "{% if agpm.deps.snippets.big.content ~ agpm.deps.snippets.big.content %}.{% endif %}",
        ),
        rounds("{% if 'x' in agpm.deps.snippets.big.content %}.{% endif %}"),
        rounds("{% if agpm.deps.snippets.big.content | replace('0', 'xxxxxx') %}.{% endif %}"),
        big_joins,
        format!(
            "{{% set a = ['x'] %}}{}{{{{ a ~ '' }}}}",
            "{% set a = [a, a] %}".repeat(40)
        ),
        format!(
            "{{% set a = 'x' %}}{}{}",
            "{% for a in [a ~ a] %}".repeat(40),
            "{% endfor %}".repeat(40)
        ),
        format!(
            "{{% set a = 'x' %}}{}{}",
            "{% for a in [[a, a]] %}".repeat(40),
            "{% endfor %}".repeat(40)
        ),
        format!(
            "{{% set a = {{'k': 'x'}} %}}{}{{{{ a ~ '' }}}}",
            "{% set a = {'k': a, 'l': a} %}".repeat(40)
        ),
        format!(
            "{{% set a = 'x' %}}{}{}",
            "{% for a in[[a if 1 else 2, a, 1 in [2]]] %}".repeat(40),
            "{% endfor %}".repeat(40)
        ),
        format!(
            "{{% set if = ['x'] %}}{}{{{{ if ~ '' }}}}",
            "{% set if = [if, if] %}".repeat(40)
        ),
        format!(
            "{{% set defined = ['x'] %}}{}{{{{ defined ~ '' }}}}",
            "{% set defined = [defined, defined] %}".repeat(40)
        ),
        "{% set a = 'xx' %}{% block b %}{% set a = a ~ a %}{{ self.b() }}{% endblock %}".to_owned(),
        "{% for a in ['xx'] recursive %}{{ loop([a ~ a]) }}{% endfor %}".to_owned(),
        "{{ '}}' * 1000000000 }}".to_owned(),
        "{{ {'a': {'b': '%}'}} * 1000000000 }}".to_owned(),
        "{# {{ ' #}{{ 'x' * 1000000000 }}".to_owned(),
        "{% raw %}{{ ' {% endraw %}{{ 'x' * 1000000000 }}".to_owned(),
        format!(
            "{{% set a %}}{}{{% endset %}}{{{{ a | length }}}}",
            rounds("0123456789")
        ),
        format!(
            "{{% filter upper %}}{}{{% endfilter %}}",
            rounds("0123456789")
        ),
        format!(
            "{{% set a = 'big.txt' | content %}}{}{{{{ a | length }}}}",
            "{% set a = a ~ a %}".repeat(7)
        ),
        "{{ 'big.txt' | content | content }}".to_owned(),
        "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(),
        "{% block a %}{{ self.a() }}{% endblock %}".to_owned(),
        (0..65)
            .map(|at| format!("{{{{ '{at}.md' | content }}}}"))
            .collect(),
        format!(
            "{}\n```literal\n{}```\n{{% endfor %}}{{% endfor %}}",
            rounds("").replace("{% endfor %}", ""),
            big(1 << 19)
        ),
    ] {
        let shown: String = template.chars().take(60).collect();
        let result = TemplateRenderer::new().render_markdown(&template, &names, &files);
        assert!(result.is_err(), "{shown}");
    }
}

#[test]
fn threads_can_share_one_renderer() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&(TemplateRenderer::new(), names(), files()));
}

#[test]
fn ordinary_pages_are_not_refused() {
    let sets = "{% set a = agpm.project.language | default(value='x') %}".repeat(40);
    let list = "{% set l = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'] %}{{ l | join(sep='') }}";
    let loops = "{% for k, v in [[agpm.project.language, 1]] %}{% for e in agpm.project.envs if e != 'x' %}{{ loop.index }}{% endfor %}{% endfor %}".repeat(40);
    for (template, expected) in [
        (format!("{sets}{{{{ a }}}}"), "rust".to_owned()),
        (list.to_owned(), "abcdefghijk".to_owned()),
        (loops, "12".repeat(40)),
        ("{% set a = 'x' ~ agpm.project.language ~ 'y' %}{% for i in agpm.project.envs %}{{ a }}{% endfor %}".to_owned(), "xrustyxrusty".to_owned()),
        ("{% set a = agpm.project.envs | join(sep=', ') | upper %}".to_owned() + &"{{ a | lower }}".repeat(200), "prod, dev".repeat(200)),
    ] {
        assert_eq!(text(&template), expected, "{template}");
    }
}

#[test]
fn a_large_dependency_can_be_used_as_usual() {
    let names = names().with(
        &["agpm", "deps", "snippets", "big", "content"],
        &Value::from(big(1 << 20)),
    );
    let template =
        "{{ agpm.project.language }}\n".repeat(200) + "{{ agpm.deps.snippets.big.content }}";
    let rendered = TemplateRenderer::new()
        .render(&template, &names, &TemplateFiles::default())
        .unwrap();
    assert!(
        matches!(rendered, RenderedTemplate::Text { text, .. } if text.len() == 1000 + (1 << 20))
    );
}

/// Values that resemble the end of a tag, and one that the guard refuses.
const OPERANDS: &[&str] = &[
    "'}}'",
    "\"%}\"",
    "'{#'",
    "'a'",
    "\"\\\"}}\"",
    "'\\\\'",
    "['}}']",
    "{'k': {'l': 1}}",
    "'q' * 3",
];
/// Text that resembles a tag or a string, but is neither.
const BETWEEN: &[&str] = &[
    "{# ' #}",
    "{# {{ #}",
    "{% raw %}{{ ' {% endraw %}",
    "{%- raw -%} {# {%- endraw +%}",
    "' \" it's ",
    "{ { } ",
    "{% if '%}' %}x{% endif %}",
];

fn any_piece() -> impl Strategy<Value = String> {
    let operands = prop::collection::vec(prop::sample::select(OPERANDS), 1..4);
    prop_oneof![
        operands.prop_map(|operands| format!("{{{{ {} }}}}", operands.join(" ~ "))),
        prop::sample::select(BETWEEN).prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn the_guard_sees_every_product_and_nothing_else(pieces in prop::collection::vec(any_piece(), 1..6)) {
        let template = pieces.concat();
        let result = rendered(&template);
        prop_assert_eq!(result.is_err(), template.contains(" * "), "{} {:?}", template, result);
    }
}
