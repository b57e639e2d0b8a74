//! Templates: what is rendered, what is left unchanged, what a template can read, and when it is rendered again.

use crate::support::{Project, entry, needs};

const PROJECT: &str = r#"[project]
style_guide = "docs/STYLE_GUIDE.md"
max_line_length = 100
test_framework = "pytest"
require_tests = true

[project.paths]
architecture = "docs/ARCHITECTURE.md"
conventions = "docs/CONVENTIONS.md"
test_data = "tests/fixtures"

[project.standards]
indent_style = "spaces"
indent_size = 4
naming_convention = "snake_case"

[project.team]
backend_lead = "alice"
frontend_lead = "bob"
deployment_envs = ["staging", "production"]

"#;

/// A project with one agent and this text before its entries.
fn agent(text: &str, before: &str) -> Project {
    Project::with(
        &[("agents/a.md", text)],
        &format!("{before}[agents]\n{}", entry("a", "agents/a.md", "")),
    )
}

/// Returns the rendered text of an agent.
fn filled(text: &str, before: &str) -> String {
    let project = agent(text, before);
    project.good("install");
    project.read(".claude/agents/a.md")
}

#[test]
fn the_variables_of_the_reference_are_filled_in() {
    let template = "\
---
name: code-reviewer
---
# Code Reviewer

Follow our style guide: {{ agpm.project.style_guide }}

## Standards
- Max line length: {{ agpm.project.max_line_length }}
- Indentation: {{ agpm.project.standards.indent_size }} {{ agpm.project.standards.indent_style }}

## Documentation
Refer to:
- Architecture: {{ agpm.project.paths.architecture }}
- Test data: {{ agpm.project.paths.test_data }}

{% if agpm.project.require_tests %}
All code changes must include tests using {{ agpm.project.test_framework }}.
{% endif %}
";
    let expected = "\
---
name: code-reviewer
---
# Code Reviewer

Follow our style guide: docs/STYLE_GUIDE.md

## Standards
- Max line length: 100
- Indentation: 4 spaces

## Documentation
Refer to:
- Architecture: docs/ARCHITECTURE.md
- Test data: tests/fixtures


All code changes must include tests using pytest.

";
    assert_eq!(filled(template, PROJECT), expected);
}

#[test]
fn lists_and_tables_of_the_project_can_be_walked() {
    let template = "{% for env in agpm.project.team.deployment_envs %}{{ env }};{% endfor %}\
                    {{ agpm.project.team.deployment_envs | join(sep=\"+\") }} {{ agpm.project.team.deployment_envs | length }}\n";
    assert_eq!(
        filled(template, PROJECT),
        "staging;production;staging+production 2\n"
    );
}

#[test]
fn the_filters_of_the_guide_work() {
    let template = "{{ agpm.project.none | default(value=\"d\") }} {{ agpm.project.test_framework | upper }} \
                    {{ 'AB' | lower }} {{ agpm.project.style_guide | replace(from=\"docs/\", to=\"\") }}\n";
    assert_eq!(filled(template, PROJECT), "d PYTEST ab STYLE_GUIDE.md\n");
}

#[test]
fn dependency_paths_of_the_reference_are_filled_in() {
    let declared = "\
---
dependencies:
  snippets:
    - path: snippets/standards/{{ agpm.project.language }}-guide.md
      version: v1.0.0
  commands:
    - path: commands/{{ agpm.project.framework }}/deploy.md
    - path: commands/{{ agpm.project.env | default(value=\"dev\") }}.md
---
body
";
    let project = Project::with(
        &[
            ("agents/a.md", declared),
            ("snippets/standards/rust-guide.md", "guide\n"),
            ("snippets/standards/go-guide.md", "no\n"),
            ("commands/tokio/deploy.md", "deploy\n"),
            ("commands/dev.md", "dev\n"),
        ],
        &format!(
            "[project]\nlanguage = \"rust\"\nframework = \"tokio\"\n[agents]\n{}",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/a.md",
            ".claude/commands/deploy.md",
            ".claude/commands/dev.md",
            ".claude/snippets/standards/rust-guide.md"
        ]
    );
}

#[test]
fn a_declaration_may_depend_on_a_condition() {
    let declared = "---\ndependencies:\n  snippets:\n{% if agpm.project.tests %}\n    - path: snippets/tests.md\n\
                    {% else %}\n    - path: snippets/plain.md\n{% endif %}\n---\nbody\n";
    let project = Project::with(
        &[
            ("agents/a.md", declared),
            ("snippets/tests.md", "t\n"),
            ("snippets/plain.md", "p\n"),
        ],
        &format!(
            "[project]\ntests = true\n[agents]\n{}",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [".claude/agents/a.md", ".claude/snippets/tests.md"]
    );
    project.manifest(&format!(
        "[project]\ntests = false\n[agents]\n{}",
        entry("a", "agents/a.md", "")
    ));
    project.good("install");
    assert_eq!(
        project.installed(),
        [".claude/agents/a.md", ".claude/snippets/plain.md"]
    );
}

#[test]
fn templating_switched_off_holds_for_declared_paths_too() {
    let declared = "---\nagpm:\n  templating: false\ndependencies:\n  snippets:\n\
                    \x20   - path: snippets/{{ agpm.project.language }}.md\n---\nbody\n";
    let project = agent(declared, "[project]\nlanguage = \"rust\"\n");
    project.refused("install", 1, &["snippets/{{ agpm.project.language }}.md"]);
}

#[test]
fn files_without_templates_are_copied_byte_for_byte() {
    for text in [
        "{{ other }} {% raw %}x{% endraw %}\n",
        "agpm.project.x without a tag, and {{ github.actor }}\n",
        "---\nagpm.templating: false\n---\n{{ agpm.project.x }}\n",
        "---\nagpm:\n  templating: false\n---\n{{ agpm.project.x }} {% broken\n",
        "{ { agpm.project.x } }\r\n\tno end",
    ] {
        assert_eq!(filled(text, ""), text);
    }
}

#[test]
fn front_matter_can_ask_for_templating() {
    for front in ["agpm.templating: true", "agpm:\n  templating: true"] {
        let text = format!("---\n{front}\n---\n{{{{ 1 + 1 }}}}{{# gone #}}\n");
        assert_eq!(filled(&text, ""), format!("---\n{front}\n---\n2\n"));
    }
}

#[test]
fn only_markdown_is_filled() {
    let script = "#!/bin/sh\necho '{{ agpm.project.x }}'\n";
    let hook = "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"echo {{ agpm.project.x }}\"}\n";
    let project = Project::with(
        &[("scripts/s.sh", script), ("hooks/h.json", hook)],
        &format!(
            "[scripts]\n{}[hooks]\n{}",
            entry("s", "scripts/s.sh", ""),
            entry("h", "hooks/h.json", "")
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/scripts/s.sh"), script);
    assert!(
        project
            .read(".claude/settings.local.json")
            .contains("echo {{ agpm.project.x }}")
    );
}

#[test]
fn raw_parts_and_literal_fences_are_left_alone() {
    let text = "{{ agpm.project.x }}\n{% raw %}{{ agpm.no }}{% endraw %}\n```literal\n{{ agpm.no }} {% if %}\n```\n\
                ```rust\n{{ agpm.project.x }}\n```\n";
    let out = filled(text, "[project]\nx = \"X\"\n");
    assert!(
        out.starts_with("X\n{{ agpm.no }}\n```literal\n{{ agpm.no }} {% if %}\n```\n"),
        "{out}"
    );
    assert!(out.ends_with("```rust\nX\n```\n"), "{out}");
}

#[test]
fn a_resource_knows_itself() {
    let names = [
        "type",
        "name",
        "install_path",
        "source",
        "version",
        "resolved_commit",
        "path",
    ];
    let text: String = names
        .iter()
        .map(|name| format!("{name}={{{{ agpm.resource.{name} }}}}\n"))
        .collect();
    let project = Project::new();
    let source = project.release(&[("agents/deep/own.md", &text)]);
    let commit = source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    project.manifest(&format!(
        "[agents]\n{}",
        entry("mine", "agents/deep/own.md", "filename = \"x\"")
    ));
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/x.md"),
        format!(
            "type=agent\nname=mine\ninstall_path=.claude/agents/x.md\nsource=community\nversion=v1.0.0\n\
             resolved_commit={commit}\npath=agents/deep/own.md\n"
        )
    );
}

const PARENT: &str = "\
---
dependencies:
  snippets:
    - path: snippets/best-practices.md
    - path: snippets/long-winded.md
      name: short
      install: false
---
{{ agpm.deps.snippets.best_practices.content }}|{{ agpm.deps.snippets.short.content }}|\
{{ agpm.deps.snippets.best_practices.install_path }}|{{ agpm.deps.snippets.best_practices.name }}|\
{{ agpm.deps.snippets.short.version }}
";

#[test]
fn dependencies_can_be_embedded_under_an_alias() {
    let project = Project::with(
        &[
            ("agents/a.md", PARENT),
            (
                "snippets/best-practices.md",
                "---\ntitle: no\n---\nBe {{ agpm.project.mood }}.\n",
            ),
            ("snippets/long-winded.md", "Long.\n"),
        ],
        &format!(
            "[project]\nmood = \"kind\"\n[agents]\n{}",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    let text = project.read(".claude/agents/a.md");
    let body = text.rsplit("---\n").next().unwrap();
    assert_eq!(
        body,
        "Be kind.|Long.|.claude/snippets/best-practices.md|best-practices|v1.0.0\n"
    );
    // Embedded content is locked and not written.
    assert_eq!(
        project.installed(),
        [".claude/agents/a.md", ".claude/snippets/best-practices.md"]
    );
}

#[test]
fn embedded_text_is_not_filled_twice() {
    let project = Project::with(
        &[
            (
                "agents/a.md",
                "---\ndependencies:\n  snippets:\n    - path: snippets/s.md\n---\n{{ agpm.deps.snippets.s.content }}",
            ),
            (
                "snippets/s.md",
                "{% raw %}{{ agpm.project.x }}{% endraw %}{{ agpm.project.x }}\n",
            ),
        ],
        &format!(
            "[project]\nx = \"{{{{ 1 + 1 }}}}\"\n[agents]\n{}",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    assert!(
        project
            .read(".claude/agents/a.md")
            .ends_with("---\n{{ agpm.project.x }}{{ 1 + 1 }}")
    );
}

#[test]
fn files_of_the_project_can_be_embedded() {
    let project = agent(
        "{{ 'docs/x.md' | content }}{{ agpm.project.notes | content }}",
        "[project]\nnotes = \"n.txt\"\n",
    );
    project.write("docs/x.md", "---\na: 1\n---\nfrom {{ docs }}\n");
    project.write("n.txt", "notes\n");
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/a.md"),
        "from {{ docs }}\nnotes\n"
    );
}

#[test]
fn the_content_filter_reads_strings_of_the_project_and_nothing_else() {
    let big = "x".repeat((1 << 20) + 1);
    for (path, code) in [
        ("../secret.md", 6),
        ("/etc/passwd", 6),
        ("docs/../../secret.md", 6),
        ("link.md", 6),
        ("folder/secret.md", 6),
        (".env", 1),
        ("key.pem", 1),
        (".git/config.txt", 1),
        (".GIT/config.txt", 1),
        (".agpm/history/x.json", 1),
        ("agpm.private.toml", 1),
        ("big.txt", 1),
        ("missing.md", 1),
        ("docs", 1),
    ] {
        let project = agent(
            &format!("{{{{ agpm.project.p | content }}}}{{# {path} #}}"),
            &format!("[project]\np = \"{path}\"\n"),
        );
        project.sandbox.write("secret.md", "SECRET\n");
        for file in [
            ".env",
            "key.pem",
            ".git/config.txt",
            ".GIT/config.txt",
            "docs/x.md",
        ] {
            project.write(file, "SECRET\n");
        }
        project.write("agpm.private.toml", "# SECRET\n");
        project.write("big.txt", &big);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.md", project.path("link.md")).unwrap();
            std::os::unix::fs::symlink("..", project.path("folder")).unwrap();
        }
        let output = project.run("install");
        assert_eq!(output.code, Some(code), "{path}\n{output}");
        let word = if code == 6 {
            "resource/escape"
        } else {
            "resource/template"
        };
        assert!(output.stderr.contains(word), "{path}\n{output}");
        assert!(!output.to_string().contains("SECRET"), "{path}\n{output}");
        assert!(
            !project.exists(".claude") && !project.exists("agpm.lock"),
            "{path}"
        );
    }
}

#[test]
fn a_name_that_is_not_defined_is_reported_with_its_place_and_a_near_one() {
    let project = agent(
        "one\n\ntwo {{ agpm.project.langage }}\n",
        "[project]\nlanguage = \"rust\"\n",
    );
    project.refused(
        "install",
        1,
        &[
            "resource/template",
            "agpm.project.langage",
            "agents/a.md@v1.0.0:3:8",
            "did you mean `language`?",
        ],
    );
}

#[test]
fn all_templates_that_fail_are_reported_at_once() {
    let project = Project::with(
        &[
            ("agents/a.md", "{{ agpm.project.x }}\n"),
            ("agents/b.md", "{{ agpm.project.y }}\n"),
        ],
        &format!("[agents]\n{}", entry("all", "agents/*.md", "")),
    );
    project.refused(
        "install",
        1,
        &["agents/a.md@v1.0.0:1:4", "agents/b.md@v1.0.0:1:4"],
    );
}

#[test]
fn a_changed_variable_fills_again_what_uses_it_and_nothing_else() {
    let project = Project::with(
        &[
            ("agents/a.md", "{{ agpm.project.x }}\n"),
            ("agents/b.md", "{{ agpm.project.y }}\n"),
        ],
        &format!(
            "[project]\nx = 1\ny = 1\n[agents]\n{}",
            entry("all", "agents/*.md", "")
        ),
    );
    project.good("install");
    let before = project.modified(".claude/agents/b.md");
    project.manifest(&format!(
        "[project]\nx = 2\ny = 1\n[agents]\n{}",
        entry("all", "agents/*.md", "")
    ));
    let output = project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "2\n");
    assert!(
        output.stdout.contains("Updated 1 resource, 1 unchanged"),
        "{output}"
    );
    assert_eq!(project.modified(".claude/agents/b.md"), before);
}

#[test]
fn a_changed_dependency_fills_again_what_embeds_it() {
    let project = Project::new();
    let parent = "---\ndependencies:\n  snippets:\n    - path: snippets/s.md\n---\n{{ agpm.deps.snippets.s.content }}";
    let mut source = project.release(&[("agents/a.md", parent), ("snippets/s.md", "one\n")]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    assert!(project.read(".claude/agents/a.md").ends_with("---\none"));
    source.commit(&[("snippets/s.md", "two\n")]);
    source.tag("v1.1.0");
    project.good("update");
    assert!(project.read(".claude/agents/a.md").ends_with("---\ntwo"));
}

#[test]
fn a_changed_file_that_was_read_fills_again() {
    let project = agent("{{ agpm.resource.name }}: {{ 'docs/x.md' | content }}", "");
    project.write("docs/x.md", "one\n");
    project.good("install");
    assert_eq!(
        project.good("install").stdout,
        "Everything is up to date (1 resource)\n"
    );
    project.write("docs/x.md", "two\n");
    assert_eq!(project.run("install --check").code, Some(1));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a: two\n");
    // A missing file is an error, and the installed file stays.
    project.remove("docs/x.md");
    project.refused("install", 1, &["docs/x.md"]);
}

#[test]
fn frozen_renders_too() {
    let project = agent(
        "{{ agpm.project.x }} {{ 'docs/x.md' | content }}",
        "[project]\nx = 1\n",
    );
    project.write("docs/x.md", "one\n");
    project.good("install");
    project.remove(".claude/agents/a.md");
    project.good("install --frozen");
    assert_eq!(project.read(".claude/agents/a.md"), "1 one\n");
    project.good("verify");
}

const GREETER: &str = "Hello {{ agpm.project.team.name }}, {{ agpm.project.language }}, {{ greeting | default(value=\"-\") }}\n";

#[test]
fn two_aliases_of_one_file_are_two_outputs() {
    let project = Project::with(
        &[("agents/greet.md", GREETER)],
        &format!(
            "[project]\nlanguage = \"rust\"\nteam = {{ name = \"us\", size = 3 }}\n[agents]\n{}{}",
            entry(
                "one",
                "agents/greet.md",
                "filename = \"one\", template_vars = { project = { team = { name = \"them\" } }, greeting = \"hi\" }"
            ),
            entry(
                "two",
                "agents/greet.md",
                "filename = \"two\", template_vars = { project = { language = \"go\" } }"
            )
        ),
    );
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/one.md"),
        "Hello them, rust, hi\n"
    );
    assert_eq!(project.read(".claude/agents/two.md"), "Hello us, go, -\n");
    project.good("install --frozen");
    assert_eq!(
        project.good("install").stdout,
        "Everything is up to date (2 resources)\n"
    );
}

#[test]
fn a_changed_template_variable_fills_again() {
    let with = |name: &str| {
        let more = format!("template_vars = {{ project = {{ x = \"{name}\" }} }}");
        format!("[agents]\n{}", entry("a", "agents/a.md", &more))
    };
    let project = Project::with(&[("agents/a.md", "{{ agpm.project.x }}\n")], &with("one"));
    project.good("install");
    project.manifest(&with("two"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "two\n");
}

/// Two aliases with different variables, and a child that is declared with `more`.
fn variants(child: &str, more: &str) -> Project {
    let parent = format!(
        "---\ndependencies:\n  snippets:\n    - path: snippets/s.md\n{more}---\n{{{{ agpm.deps.snippets.s.content }}}}"
    );
    let alias = |name: &str| {
        let more =
            format!("filename = \"{name}\", template_vars = {{ project = {{ x = \"{name}\" }} }}");
        entry(name, "agents/a.md", &more)
    };
    Project::with(
        &[("agents/a.md", &parent), ("snippets/s.md", child)],
        &format!("[agents]\n{}{}", alias("one"), alias("two")),
    )
}

#[test]
fn an_embedded_child_follows_each_variant_and_is_not_written() {
    let project = variants("x is {{ agpm.project.x }}\n", "      install: false\n");
    project.good("install");
    for name in ["one", "two"] {
        let text = project.read(&format!(".claude/agents/{name}.md"));
        assert!(text.ends_with(&format!("---\nx is {name}")), "{text}");
    }
    assert_eq!(
        project.installed(),
        [".claude/agents/one.md", ".claude/agents/two.md"]
    );
    project.good("install --frozen");
}

#[test]
fn a_written_child_that_is_equal_for_all_variants_is_written_once() {
    let project = variants("the same\n", "");
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/one.md",
            ".claude/agents/two.md",
            ".claude/snippets/s.md"
        ]
    );
}

#[test]
fn a_written_child_that_differs_between_variants_is_a_clash() {
    let project = variants("x is {{ agpm.project.x }}\n", "");
    project.refused(
        "install",
        1,
        &[
            "package/target-clash",
            "snippets/s",
            "template_vars",
            "install: false",
        ],
    );
}

#[test]
fn variables_of_a_dependency_do_not_reach_its_neighbours() {
    let project = Project::with(
        &[
            ("agents/a.md", "{{ agpm.project.x }}\n"),
            ("agents/b.md", "{{ agpm.project.x }}\n"),
        ],
        &format!(
            "[project]\nx = \"all\"\n[agents]\n{}{}",
            entry(
                "a",
                "agents/a.md",
                "template_vars = { project = { x = \"mine\" } }"
            ),
            entry("b", "agents/b.md", "")
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "mine\n");
    assert_eq!(project.read(".claude/agents/b.md"), "all\n");
}

#[test]
fn metadata_under_agpm_stays_and_front_matter_values_are_filled() {
    let text = "---\nname: {{ agpm.project.name }}\nagpm:\n  version: 1.2.0\n---\nbody\n";
    assert_eq!(
        filled(text, "[project]\nname = \"mine\"\n"),
        "---\nname: mine\nagpm:\n  version: 1.2.0\n---\nbody\n"
    );
}

#[test]
fn a_template_can_be_patched() {
    let text = "---\nname: {{ agpm.project.name }}\nmodel: opus\n---\n{{ agpm.project.name }}\n";
    let project = Project::with(
        &[("agents/a.md", text)],
        &format!(
            "[project]\nname = \"mine\"\n[agents]\n{}[patch.agents.a]\nmodel = \"haiku\"\n",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/a.md"),
        "---\nname: mine\nmodel: haiku\n---\nmine\n"
    );
}

#[test]
fn line_ends_and_the_last_line_stay() {
    assert_eq!(
        filled("a\r\n{{ agpm.project.x }}\r\n\r\nb", "[project]\nx = 1\n"),
        "a\r\n1\r\n\r\nb"
    );
    assert_eq!(
        filled("{{ agpm.project.x }}\n\n\n", "[project]\nx = 1\n"),
        "1\n\n\n"
    );
}

#[test]
fn variables_of_a_pattern_hold_for_every_match() {
    let project = Project::with(
        &[
            ("agents/a.md", "{{ agpm.project.x }}\n"),
            ("agents/b.md", "{{ agpm.project.x }}\n"),
        ],
        &format!(
            "[agents]\n{}",
            entry(
                "all",
                "agents/*.md",
                "template_vars = { project = { x = \"y\" } }"
            )
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "y\n");
    assert_eq!(project.read(".claude/agents/b.md"), "y\n");
}

#[test]
fn lists_of_variables_replace_and_tables_merge() {
    let project = Project::with(
        &[(
            "agents/a.md",
            "{{ agpm.project.l | join(sep=',') }} {{ agpm.project.t.a }} {{ agpm.project.t.b }}\n",
        )],
        &format!(
            "[project]\nl = [1, 2]\nt = {{ a = 1, b = 1 }}\n[agents]\n{}",
            entry(
                "a",
                "agents/a.md",
                "template_vars = { project = { l = [3], t = { b = 2 } } }"
            )
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "3 1 2\n");
}

#[test]
fn variables_cannot_take_the_place_of_our_names() {
    let project = Project::with(
        &[("agents/a.md", "{{ agpm.resource.name }}\n")],
        &format!(
            "[agents]\n{}",
            entry(
                "a",
                "agents/a.md",
                "template_vars = { agpm = { resource = { name = \"no\" } } }"
            )
        ),
    );
    project.refused(
        "install",
        1,
        &["manifest/value", "`agpm` in `template_vars`"],
    );
}

#[test]
fn undeclared_dependencies_are_not_in_deps() {
    let project = Project::with(
        &[
            (
                "agents/a.md",
                "---\ndependencies:\n  snippets:\n    - path: snippets/style.md\n---\n\n{{ agpm.deps.snippets.stile.content }}\n",
            ),
            ("snippets/style.md", "s\n"),
        ],
        &format!("[agents]\n{}", entry("a", "agents/a.md", "")),
    );
    project.refused(
        "install",
        1,
        &[
            "agpm.deps.snippets.stile",
            "agents/a.md@v1.0.0:7:4",
            "did you mean `style`?",
        ],
    );
}

#[test]
fn declared_variants_follow_the_variables_of_an_alias() {
    let declared = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.language }}.md\n---\nbody\n";
    let alias = |name: &str| {
        entry(
            name,
            "agents/a.md",
            &format!(
                "filename = \"{name}\", template_vars = {{ project = {{ language = \"{name}\" }} }}"
            ),
        )
    };
    let project = Project::with(
        &[
            ("agents/a.md", declared),
            ("snippets/go.md", "go\n"),
            ("snippets/rust.md", "rust\n"),
        ],
        &format!("[agents]\n{}{}", alias("go"), alias("rust")),
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/go.md",
            ".claude/agents/rust.md",
            ".claude/snippets/go.md",
            ".claude/snippets/rust.md"
        ]
    );
    project.good("install --locked");
    assert_eq!(
        project.good("install").stdout,
        "Everything is up to date (4 resources)\n"
    );
}

#[test]
fn validate_looks_at_the_links_of_what_is_rendered() {
    let project = agent(
        "[guide]({{ agpm.project.guide }})\n",
        "[project]\nguide = \"docs/guide.md\"\n",
    );
    let output = project.run("validate --render");
    assert!(
        output.code == Some(1) && output.stdout.contains("resource/reference"),
        "{output}"
    );
    project.write("docs/guide.md", "guide\n");
    project.good("validate --render");
    assert!(project.good("install").stderr.is_empty());
}

#[test]
fn a_template_of_the_project_itself_is_filled_too() {
    let project = Project::new();
    project.write(
        "mine/a.md",
        "{{ agpm.project.x }} {{ agpm.resource.path }}\n",
    );
    project.write(
        "agpm.toml",
        "[project]\nx = \"X\"\n[agents]\na = \"mine/a.md\"\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "X mine/a.md\n");
}

#[test]
fn embedded_content_may_embed_more() {
    let level = |path: &str, body: &str| format!("{}{body}", needs("snippets", &[path]));
    let project = Project::with(
        &[
            (
                "agents/a.md",
                &level("snippets/b.md", "A[{{ agpm.deps.snippets.b.content }}]"),
            ),
            (
                "snippets/b.md",
                &level("snippets/c.md", "B[{{ agpm.deps.snippets.c.content }}]"),
            ),
            ("snippets/c.md", "C{{ agpm.project.x }}"),
        ],
        &format!(
            "[project]\nx = 1\n[agents]\n{}",
            entry("a", "agents/a.md", "")
        ),
    );
    project.good("install");
    assert!(project.read(".claude/agents/a.md").ends_with("A[B[C1]]"));
}

#[test]
fn an_alias_reports_two_files_of_one_name_apart() {
    let parent = "---\ndependencies:\n  snippets:\n    - path: snippets/x/s.md\n    - path: snippets/y/s.md\n\
                  \x20     name: other\n---\n{{ agpm.deps.snippets.other.content }}{{ agpm.deps.snippets.s.content }}";
    let project = Project::with(
        &[
            ("agents/a.md", parent),
            ("snippets/x/s.md", "X"),
            ("snippets/y/s.md", "Y"),
        ],
        &format!("[agents]\n{}", entry("a", "agents/a.md", "")),
    );
    project.good("install");
    assert!(project.read(".claude/agents/a.md").ends_with("---\nYX"));
}

#[test]
fn frozen_keeps_declared_variants_apart() {
    let declared = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.language }}.md\n---\nbody\n";
    let alias = |name: &str| {
        let more = format!(
            "filename = \"{name}\", template_vars = {{ project = {{ language = \"{name}\" }} }}"
        );
        entry(name, "agents/a.md", &more)
    };
    let project = Project::with(
        &[
            ("agents/a.md", declared),
            ("snippets/go.md", "go\n"),
            ("snippets/rust.md", "rust\n"),
        ],
        &format!("[agents]\n{}{}", alias("go"), alias("rust")),
    );
    project.good("install");
    project.good("install --frozen");
}

#[test]
fn statements_in_front_matter_count_before_it_is_read() {
    for front in [
        "dependencies:\n  snippets:\n{% if agpm.project.language == \"rust\" %}\n    - path: snippets/s.md\n{% endif %}\n",
        "dependencies:\n  snippets:\n    - path: snippets/s.md\n    # {% if agpm.project.language == \"go\" %}\n    - path: snippets/none.md\n    # {% endif %}\n",
        "# {% set file = \"s\" %}{{ agpm.project.language }}\ndependencies:\n  snippets:\n    - path: snippets/{{ file }}.md\n",
    ] {
        for body in ["", "body\n"] {
            let text = format!("---\n{front}---\n{body}");
            let project = Project::with(
                &[("agents/a.md", &text), ("snippets/s.md", "s\n")],
                &format!(
                    "[project]\nlanguage = \"rust\"\n[agents]\n{}",
                    entry("a", "agents/a.md", "")
                ),
            );
            project.good("install");
            assert_eq!(
                project.written(),
                [".claude/agents/a.md", ".claude/snippets/s.md"],
                "{text}"
            );
        }
    }
}
