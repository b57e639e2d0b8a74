//! Addresses as people type and paste them.
#![allow(clippy::unwrap_used)]

use agpm_model::{
    Address, AddressContext, DefaultHost, InnerAddress, ResourcePath, VersionRequirement,
};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Address, agpm_model::AddressError> {
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|name| ["community", "official", "my-source"].contains(&name),
    };
    Address::parse(text, &context)
}

fn path(inner: &InnerAddress) -> String {
    inner
        .path
        .as_ref()
        .map_or_else(|| "-".to_owned(), ResourcePath::to_string)
}

fn requirement(inner: &InnerAddress) -> &str {
    inner
        .requirement
        .as_ref()
        .map_or("-", VersionRequirement::as_str)
}

/// An address on one line: its form, URL, path and requirement.
fn describe(text: &str) -> String {
    match parse(text) {
        Ok(Address::Repository(found)) => {
            let (path, requirement) = (path(&found.inner), requirement(&found.inner));
            format!("git {} {path} {requirement}", found.url.redacted())
        }
        Ok(Address::Browser(page)) => {
            format!(
                "page {} {} {:?}",
                page.url.redacted(),
                page.location(),
                page.reference
            )
        }
        Ok(Address::Source(found)) => {
            let (path, requirement) = (path(&found.inner), requirement(&found.inner));
            format!("source {} {path} {requirement}", found.name)
        }
        Ok(Address::Plugin(plugin)) => format!("plugin {} of {}", plugin.name, plugin.marketplace),
        Ok(Address::Local(path)) => format!("local {path}"),
        Ok(Address::Registry(text)) => format!("registry {text}"),
        Err(error) => format!("error {error}"),
    }
}

#[test]
fn urls_mean_what_people_mean() {
    let github = "https://github.com";
    for (text, expected) in [
        // The default host.
        ("anthropics/skills", "git {}/anthropics/skills - -"),
        (
            "anthropics/skills/skills/pdf",
            "git {}/anthropics/skills skills/pdf -",
        ),
        (
            "anthropics/skills/skills/pdf@^1",
            "git {}/anthropics/skills skills/pdf ^1",
        ),
        ("anthropics/skills@main", "git {}/anthropics/skills - main"),
        ("anthropics/skills.git", "git {}/anthropics/skills - -"),
        ("anthropics/skills/", "git {}/anthropics/skills - -"),
        (
            "anthropics/skills//skills/pdf",
            "git {}/anthropics/skills skills/pdf -",
        ),
        (
            "vercel-labs/agent-skills",
            "git {}/vercel-labs/agent-skills - -",
        ),
        ("obra/superpowers", "git {}/obra/superpowers - -"),
        ("wshobson/agents@v1.2.0", "git {}/wshobson/agents - v1.2.0"),
        (
            "wshobson/agents/agents/python-pro.md",
            "git {}/wshobson/agents agents/python-pro.md -",
        ),
        (
            "github/awesome-copilot/chatmodes/a.chatmode.md",
            "git {}/github/awesome-copilot chatmodes/a.chatmode.md -",
        ),
        ("o/r@>=1.0,<2", "git {}/o/r - >=1.0,<2"),
        ("o/r@latest", "git {}/o/r - latest"),
        ("o/r@skills/pdf/v1.2.0", "git {}/o/r - skills/pdf/v1.2.0"),
        ("o/r@pdf-^1", "git {}/o/r - pdf-^1"),
        ("o/r@pdf@1.0.0", "git {}/o/r - pdf@1.0.0"),
        ("o/r@@scope/pkg@1.0.0", "git {}/o/r - @scope/pkg@1.0.0"),
        (
            "o/r/packages/@scope/pkg@v2",
            "git {}/o/r packages/@scope/pkg v2",
        ),
        ("o/r@feature/x", "git {}/o/r - feature/x"),
        ("o/r@4f2c1d9", "git {}/o/r - 4f2c1d9"),
        ("o/r/agents/*.md", "git {}/o/r agents/*.md -"),
        ("o/r/agents/**/*.md@^2", "git {}/o/r agents/**/*.md ^2"),
        ("o/.github", "git {}/o/.github - -"),
        ("my_org/my.repo", "git {}/my_org/my.repo - -"),
        ("o/r/.claude/skills/x", "git {}/o/r .claude/skills/x -"),
        ("o/r/./skills/x", "git {}/o/r skills/x -"),
        // Hosts by their short names.
        ("github:anthropics/skills", "git {}/anthropics/skills - -"),
        (
            "github:anthropics/skills/skills/pdf@^1",
            "git {}/anthropics/skills skills/pdf ^1",
        ),
        ("github:o/r.git@v1", "git {}/o/r - v1"),
        ("gitlab:group/repo", "git https://gitlab.com/group/repo - -"),
        (
            "gitlab:group/repo/skills/x",
            "git https://gitlab.com/group/repo skills/x -",
        ),
        (
            "gitlab:group/sub/repo//skills/x@v1",
            "git https://gitlab.com/group/sub/repo skills/x v1",
        ),
        (
            "gitlab:a/b/c/d/repo//skills",
            "git https://gitlab.com/a/b/c/d/repo skills -",
        ),
        (
            "gitlab:group/sub/repo//",
            "git https://gitlab.com/group/sub/repo - -",
        ),
        (
            "codeberg:o/r/agents/a.md",
            "git https://codeberg.org/o/r agents/a.md -",
        ),
        (
            "bitbucket:team/repo@main",
            "git https://bitbucket.org/team/repo - main",
        ),
        // URLs as git takes them.
        (
            "https://github.com/anthropics/skills",
            "git {}/anthropics/skills - -",
        ),
        (
            "https://github.com/anthropics/skills.git",
            "git {}/anthropics/skills.git - -",
        ),
        (
            "https://github.com/anthropics/skills/",
            "git {}/anthropics/skills/ - -",
        ),
        (
            "git+https://github.com/anthropics/skills.git@v1",
            "git {}/anthropics/skills.git - v1",
        ),
        (
            "https://github.com/o/r//skills/pdf@^1",
            "git {}/o/r skills/pdf ^1",
        ),
        (
            "https://github.com/o/r.git//skills/pdf",
            "git {}/o/r.git skills/pdf -",
        ),
        (
            "https://www.github.com/o/r",
            "git https://www.github.com/o/r - -",
        ),
        (
            "https://git.corp/agents/base@^3",
            "git https://git.corp/agents/base - ^3",
        ),
        (
            "git+https://git.corp/agents/base@^3",
            "git https://git.corp/agents/base - ^3",
        ),
        (
            "https://git.corp:8443/a/b/c.git//x/y@main",
            "git https://git.corp:8443/a/b/c.git x/y main",
        ),
        (
            "https://gitlab.com/group/sub/repo.git",
            "git https://gitlab.com/group/sub/repo.git - -",
        ),
        (
            "https://gitlab.com/group/sub/repo//skills/a",
            "git https://gitlab.com/group/sub/repo skills/a -",
        ),
        ("https://token@git.corp/o/r", "git https://git.corp/o/r - -"),
        (
            "https://user:pw@git.corp/o/r@v1",
            "git https://git.corp/o/r - v1",
        ),
        ("https://git.corp/r?p=x", "git https://git.corp/r?p=x - -"),
        (
            "https://gist.github.com/user/0123456789abcdef",
            "git https://gist.github.com/user/0123456789abcdef - -",
        ),
        (
            "https://dev.azure.com/org/project/_git/repo",
            "git https://dev.azure.com/org/project/_git/repo - -",
        ),
        (
            "http://localhost:3000/o/r.git",
            "git http://localhost:3000/o/r.git - -",
        ),
        ("HTTPS://github.com/o/r", "git {}/o/r - -"),
        (
            "ssh://git@github.com/o/r.git",
            "git ssh://git@github.com/o/r.git - -",
        ),
        (
            "ssh://git@github.com/o/r.git//agents@^2",
            "git ssh://git@github.com/o/r.git agents ^2",
        ),
        (
            "ssh://git@host:2222/o/r@v1",
            "git ssh://git@host:2222/o/r - v1",
        ),
        (
            "git+ssh://git@github.com/o/r.git@main",
            "git ssh://git@github.com/o/r.git - main",
        ),
        ("git://host/o/r", "git git://host/o/r - -"),
        (
            "git@github.com:anthropics/skills.git",
            "git git@github.com:anthropics/skills.git - -",
        ),
        (
            "git@github.com:anthropics/skills",
            "git git@github.com:anthropics/skills - -",
        ),
        (
            "git@github.com:anthropics/skills.git//skills/pdf@^1",
            "git git@github.com:anthropics/skills.git skills/pdf ^1",
        ),
        (
            "git+git@github.com:o/r.git@v1",
            "git git@github.com:o/r.git - v1",
        ),
        (
            "git@gitlab.com:group/sub/repo.git",
            "git git@gitlab.com:group/sub/repo.git - -",
        ),
        (
            "me@git.corp:repos/agents.git",
            "git me@git.corp:repos/agents.git - -",
        ),
        (
            "file:///srv/git/agents.git",
            "git file:///srv/git/agents.git - -",
        ),
        (
            "file:///srv/git/agents.git//skills/x@v1.0.0",
            "git file:///srv/git/agents.git skills/x v1.0.0",
        ),
        (
            "git+file:///srv/git/agents@^1",
            "git file:///srv/git/agents - ^1",
        ),
        ("file:///srv/a%40b", "git file:///srv/a%40b - -"),
        // Pages of hosts.
        (
            "https://github.com/anthropics/skills/tree/main/skills/pdf",
            "page {}/anthropics/skills main/skills/pdf Any",
        ),
        (
            "https://github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md",
            "page {}/anthropics/skills main/skills/pdf/SKILL.md Any",
        ),
        ("https://github.com/o/r/tree/main", "page {}/o/r main Any"),
        ("https://github.com/o/r/tree/main/", "page {}/o/r main Any"),
        (
            "https://github.com/o/r/blob/v1.0.0/agents/a.md?plain=1#L3",
            "page {}/o/r v1.0.0/agents/a.md Any",
        ),
        (
            "https://github.com/o/r/tree/feature/x/skills",
            "page {}/o/r feature/x/skills Any",
        ),
        (
            "https://github.com/o/r/blob/refs/heads/main/a.md",
            "page {}/o/r main/a.md Branch",
        ),
        (
            "https://github.com/o/r/blob/refs/tags/v1/a.md",
            "page {}/o/r v1/a.md Tag",
        ),
        (
            "https://github.com/o/r/raw/main/a.md",
            "page {}/o/r main/a.md Any",
        ),
        (
            "https://github.com/o/r/blame/main/a.md",
            "page {}/o/r main/a.md Any",
        ),
        (
            "https://github.com/o/r/edit/main/a.md",
            "page {}/o/r main/a.md Any",
        ),
        (
            "https://github.com/o/tree/tree/main/x",
            "page {}/o/tree main/x Any",
        ),
        (
            "https://github.com/o/r/tree/main/my%20skills/a",
            "page {}/o/r main/my skills/a Any",
        ),
        (
            "https://ghe.corp/o/r/tree/main/skills/x",
            "page https://ghe.corp/o/r main/skills/x Any",
        ),
        (
            "https://token@ghe.corp/o/r/tree/main/x",
            "page https://ghe.corp/o/r main/x Any",
        ),
        (
            "https://gitlab.com/g/s/r/-/tree/main/skills/x/",
            "page https://gitlab.com/g/s/r main/skills/x Any",
        ),
        (
            "https://gitlab.com/g/r/-/blob/v1/agents/a.md?ref_type=heads",
            "page https://gitlab.com/g/r v1/agents/a.md Any",
        ),
        (
            "https://gitlab.corp/g/r/-/raw/main/a.md",
            "page https://gitlab.corp/g/r main/a.md Any",
        ),
        (
            "https://codeberg.org/o/r/src/branch/main/skills/x",
            "page https://codeberg.org/o/r main/skills/x Branch",
        ),
        (
            "https://codeberg.org/o/r/src/tag/v1.0/skills",
            "page https://codeberg.org/o/r v1.0/skills Tag",
        ),
        (
            "https://git.corp/o/r/src/commit/4f2c1d9/skills",
            "page https://git.corp/o/r 4f2c1d9/skills Commit",
        ),
        (
            "https://bitbucket.org/team/repo/src/main/skills/x",
            "page https://bitbucket.org/team/repo main/skills/x Any",
        ),
        (
            "https://bitbucket.org/team/repo/src/branch/skills",
            "page https://bitbucket.org/team/repo branch/skills Any",
        ),
        (
            "git+https://github.com/o/r/tree/main/x",
            "page {}/o/r main/x Any",
        ),
        // Sources.
        ("community", "source community - -"),
        ("skills", "source skills - -"),
        ("community:agents/a.md", "source community agents/a.md -"),
        (
            "community:agents/a.md@^1.2",
            "source community agents/a.md ^1.2",
        ),
        (
            "my-source:skills/pdf@pdf-v1.0.0",
            "source my-source skills/pdf pdf-v1.0.0",
        ),
        ("community:agents/*.md", "source community agents/*.md -"),
        ("unknown:agents/a.md", "source unknown agents/a.md -"),
        ("community:.@v2", "source community - v2"),
        // Plugins of marketplaces.
        ("hookify@official", "plugin hookify of official"),
        (
            "code-review@claude-plugins-official",
            "plugin code-review of claude-plugins-official",
        ),
        (
            "superpowers@superpowers-marketplace",
            "plugin superpowers of superpowers-marketplace",
        ),
        ("a.b@c.d", "plugin a.b of c.d"),
        // This machine.
        ("./skills/pdf", "local ./skills/pdf"),
        ("./anthropics/skills", "local ./anthropics/skills"),
        ("../shared/agents/a.md", "local ../shared/agents/a.md"),
        ("/srv/agents", "local /srv/agents"),
        ("/srv/x@y", "local /srv/x@y"),
        ("~/agents", "local ~/agents"),
        (".", "local ."),
        ("~", "local ~"),
        ("./my skills", "local ./my skills"),
        ("C:/agents", "local C:/agents"),
        ("C:\\agents", "local C:\\agents"),
        // Registries.
        (
            "oci://ghcr.io/o/skills:1.0.0",
            "registry oci://ghcr.io/o/skills:1.0.0",
        ),
        // Invalid addresses.
        ("", "error the URL or path is empty"),
        (
            "a b",
            "error the URL or path contains a space or a control character",
        ),
        ("github:skills", "error `skills` does not name a repository"),
        ("github:", "error `` does not name a repository"),
        ("owner/", "error `owner/` does not name a repository"),
        ("o/r@", "error the version is empty"),
        ("o/r@^x", "error invalid version range `^x`"),
        (
            "github.com/o/r",
            "error `github.com/o/r` starts with a host but is not a URL",
        ),
        (
            "git.corp/o/r",
            "error `git.corp/o/r` starts with a host but is not a URL",
        ),
        (
            "o/r#main",
            "error `o/r#main` has a `#`; a version follows after `@`",
        ),
        (
            "git+https://h/o/r.git#v1",
            "error `https://h/o/r.git#***` has a `#`; a version follows after `@`",
        ),
        (
            "https://github.com/o",
            "error `https://github.com/o` is neither a repository nor a file of one",
        ),
        (
            "https://github.com/o/r/issues/3",
            "error `https://github.com/o/r/issues/3` is neither a repository nor a file of one",
        ),
        (
            "https://github.com/o/r/skills/pdf",
            "error `https://github.com/o/r/skills/pdf` is neither a repository nor a file of one",
        ),
        (
            "ftp://h/o/r",
            "error unknown URL scheme `ftp`; known schemes: https, http, ssh, git, file",
        ),
        (
            "https://u:p/w@h/o/r",
            "error `/`, `?` and `#` in a user name or password are written `%2F`, `%3F` and `%23`",
        ),
        (
            "@scope/skills",
            "error `@scope/skills` does not name a repository",
        ),
        ("-x/y", "error `-x/y` does not name a repository"),
        (
            "o/r/../../x",
            "error `../../x`: the path leaves its directory with `..`",
        ),
        (
            "community:",
            "error `community:` is not a URL, a repository or a path",
        ),
        (
            "github:a/b/c//d",
            "error `a/b/c//d` is not a URL, a repository or a path",
        ),
        (
            "git+skills",
            "error `git+skills` is not a URL, a repository or a path",
        ),
        (
            "skills@^1",
            "error `skills@^1` is not a URL, a repository or a path",
        ),
        ("!!", "error `!!` is not a URL, a repository or a path"),
    ] {
        assert_eq!(describe(text), expected.replace("{}", github), "{text}");
    }
}

#[test]
fn near_misses_show_forms_that_are_urls() {
    let forms = |text: &str| {
        let error = parse(text).unwrap_err();
        error
            .forms
            .into_iter()
            .map(|form| form.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        forms("github.com/o/r"),
        ["https://github.com/o/r", "./github.com/o/r"]
    );
    assert_eq!(forms("o/r#main"), ["o/r@main"]);
    assert_eq!(forms("https://h/o/r#s3cret"), ["https://h/o/r@VERSION"]);
    assert_eq!(
        forms("https://github.com/o/r/skills/pdf"),
        [
            "https://github.com/o/r",
            "https://github.com/o/r//skills/pdf"
        ]
    );
    assert_eq!(
        forms("github:skills"),
        [
            "OWNER/skills",
            "gitlab:OWNER/skills",
            "https://HOST/OWNER/skills.git",
            "SOURCE:skills",
            "skills@MARKETPLACE",
            "./skills",
        ]
    );
    for text in [
        "!!",
        "a b",
        "ftp://h/o/r",
        "",
        "owner/",
        "github.com/o/r",
        "o/r#main",
    ] {
        for form in forms(text) {
            assert!(parse(&form).is_ok(), "{text}: {form}");
        }
    }
}

#[test]
fn the_default_host_is_the_one_of_the_configuration() {
    let context = |host: &DefaultHost, text: &str| {
        let context = AddressContext {
            default_host: host,
            is_source: &|_| false,
        };
        match Address::parse(text, &context) {
            Ok(Address::Repository(found)) => found.url.redacted().to_owned(),
            other => format!("{other:?}"),
        }
    };
    for (host, url) in [
        ("git.corp", "https://git.corp/o/r"),
        ("git.corp:8443/", "https://git.corp:8443/o/r"),
        ("http://localhost:3000", "http://localhost:3000/o/r"),
        ("ssh://host/git", "ssh://host/git/o/r"),
        ("file:///srv/git", "file:///srv/git/o/r"),
    ] {
        let host = DefaultHost::parse(host).unwrap();
        assert_eq!(context(&host, "o/r"), url);
    }
    let host = DefaultHost::parse("gitlab.com").unwrap();
    assert_eq!(context(&host, "g/s/r//x"), "https://gitlab.com/g/s/r");
    for bad in ["", "https://", "a b", "ftp://h", "user:pw@h"] {
        assert!(DefaultHost::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_source_may_have_the_name_of_a_host() {
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|name| name == "github",
    };
    let found = Address::parse("github:agents/a.md", &context).unwrap();
    assert!(matches!(found, Address::Source(found) if found.name.as_str() == "github"));
}

#[test]
fn only_a_scheme_makes_a_text_of_a_manifest_an_url() {
    for text in [
        "github:o/r",
        "gitlab:g/s/r//x",
        "https://h/o/r",
        "git+ssh://h/o/r",
        "git@h:o/r.git",
        "file:///x",
        "oci://h/r",
    ] {
        assert!(Address::has_scheme(text), "{text}");
    }
    for text in [
        "agents/a.md",
        "./a",
        "../a",
        "o/r",
        "a@b",
        "githubber/x",
        "community:a.md",
        "a/b@c:d",
    ] {
        assert!(!Address::has_scheme(text), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_fall_and_no_password_is_repeated(text in "\\PC{0,40}") {
        let _ = describe(&text);
        let secret = format!("https://me:s3cr3tpassword@h/{text}");
        prop_assert!(!describe(&secret).contains("s3cr3tpassword"));
        if let Err(error) = parse(&secret) {
            let forms: String = error.forms.iter().map(ToString::to_string).collect();
            prop_assert!(!forms.contains("s3cr3tpassword"));
        }
    }
}
