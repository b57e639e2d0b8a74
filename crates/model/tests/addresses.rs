//! Every way to write the URL of a repository, against every way to write the rule that denies or allows it. A spelling
//! that a program could read as another repository is refused; every other one is judged like the plain URL.
#![allow(clippy::unwrap_used)]

use agpm_model::{
    Address, AddressContext, DefaultHost, RepositoryPattern, SourceAddress, SourceAddressError,
};
use proptest::prelude::*;

/// What becomes of a spelling.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// It is the repository of the row.
    Same,
    /// It is a repository on the host `other.example`.
    Other,
    /// It is refused.
    Refused,
}
use Outcome::{Other, Refused, Same};

/// Spellings over `https`; `{h}` is the host and `{p}` the path of the repository.
const WEB: &[(&str, Outcome)] = &[
    ("https://{h}/{p}", Same),
    ("https://{h}/{p}.git", Same),
    ("https://{h}/{p}/", Same),
    ("https://{h}/{p}.git/", Same),
    ("HTTPS://{h}/{p}", Same),
    ("https://{h}:443/{p}", Same),
    ("https://{h}:0443/{p}", Same),
    ("https://me@{h}/{p}", Same),
    ("https://me:word@{h}/{p}", Same),
    ("https://me:w%40rd%2F@{h}/{p}", Same),
    ("https://@{h}/{p}", Same),
    (" https://{h}/{p} ", Same),
    ("https://{h}@other.example/{p}", Other),
    ("https://{h}:443@other.example/{p}", Other),
    ("https://me%40{h}@other.example/{p}", Other),
    ("https://other.example/{h}/{p}", Other),
    ("https://{h}.other.example/{p}", Other),
    ("https://{h}:8443/../{p}", Refused),
    ("https://{h}./{p}", Refused),
    ("https://{h}.:443/{p}", Refused),
    ("https://{h}:/{p}", Refused),
    ("https://{h}:x/{p}", Refused),
    ("https://{h}:443x/{p}", Refused),
    ("https://{h}:+443/{p}", Refused),
    ("https://{h}:65979/{p}", Refused),
    ("https://{h}/a/../{p}", Refused),
    ("https://{h}/./{p}", Refused),
    ("https://{h}/../{p}", Refused),
    ("https://{h}/{p}/.", Refused),
    ("https://{h}/{p}/..", Refused),
    ("https://{h}//{p}", Refused),
    ("https://{h}/{p}//", Refused),
    ("https://{h}/%2e/{p}", Refused),
    ("https://{h}/a/%2E%2e/{p}", Refused),
    ("https://{h}/%2e./{p}", Refused),
    ("https://{h}%2f{p}", Refused),
    ("https://{h}/%2F{p}", Refused),
    ("https://{h}/a/..%2f{p}", Refused),
    ("https://{h}/a%5c..%5c{p}", Refused),
    ("https://{h}\\{p}", Refused),
    ("https://{h}/a\\..\\{p}", Refused),
    ("https:\\\\{h}\\{p}", Refused),
    ("https:/{h}/{p}", Refused),
    ("https:{h}/{p}", Refused),
    ("https:///{h}/{p}", Refused),
    ("//{h}/{p}", Refused),
    ("https://{h}/{p}?x", Refused),
    ("https://{h}/{p}?", Refused),
    ("https://{h}/{p}#x", Refused),
    ("https://{h}/{p}#", Refused),
    ("https://other.example?@{h}/{p}", Refused),
    ("https://other.example:80?@{h}/{p}", Refused),
    ("https://other.example#@{h}/{p}", Refused),
    ("https://other.example\\@{h}/{p}", Refused),
    ("https://other.example:80\\@{h}/{p}", Refused),
    ("https://other.example/x@{h}/{p}?y", Refused),
    ("https://a@other.example@{h}/{p}", Refused),
    ("https://[other.example]@{h}/{p}", Refused),
    ("https://{h}/{p}\t", Refused),
    ("https://{h}\t/{p}", Refused),
    ("ht\ntps://{h}/{p}", Refused),
    ("https://{h}/\r{p}", Refused),
    ("https://{h}/ {p}", Refused),
    ("https://{h} /{p}", Refused),
    ("https://{h}/%00{p}", Refused),
    ("https://{h}%00/{p}", Refused),
    ("https://{h}%09/{p}", Refused),
    ("https://{h},other.example/{p}", Refused),
    ("https://{h};other.example/{p}", Refused),
    ("https://*/{p}", Refused),
    ("https://[{h}]/{p}", Refused),
    ("https://-{h}/{p}", Refused),
];

/// Spellings over ssh.
const SSH: &[(&str, Outcome)] = &[
    ("ssh://git@{h}/{p}", Same),
    ("ssh://{h}/{p}.git", Same),
    ("SSH://git@{h}:22/{p}", Same),
    ("ssh://git@{h}:022/{p}", Same),
    ("ssh://git:word@{h}/{p}", Same),
    ("git@{h}:{p}", Same),
    ("git@{h}:{p}.git", Same),
    ("git@{h}:/{p}", Same),
    ("git@{h}:{p}/", Same),
    ("{h}:{p}", Same),
    ("@{h}:{p}", Same),
    ("git@{h}@other.example:{p}", Refused),
    ("git@other.example:{h}/{p}", Other),
    ("other.example:{h}/{p}@x", Other),
    ("git@other.example:x@{h}:{p}", Other),
    ("ssh://git@{h}@other.example/{p}", Refused),
    ("ssh://{h}%2f@other.example/{p}", Refused),
    ("ssh://{h}%3a22@other.example/{p}", Refused),
    ("ssh://other.example%2f@{h}/{p}", Refused),
    ("ssh://other.example%2f{h}/{p}", Refused),
    ("ssh://[other.example]:22@{h}/{p}", Refused),
    ("ssh://other.example/x@[{h}]/{p}", Refused),
    ("ssh://other.example/x@%5B{h}%5D/{p}", Refused),
    ("git@other.example:x@[{h}]:{p}", Refused),
    ("ssh://git@{h}./{p}", Refused),
    ("ssh://git@{h}/a/../{p}", Refused),
    ("ssh://git@{h}//{p}", Refused),
    ("ssh://git@{h}/%2e%2e/{p}", Refused),
    ("ssh://git@{h}/{p}?x", Refused),
    ("ssh://git@{h}/{p}#x", Refused),
    ("ssh://git@{h}\\{p}", Refused),
    ("ssh://-oProxyCommand=x@{h}/{p}", Refused),
    ("ssh://git@-oProxyCommand=x/{p}", Refused),
    ("ssh://git@$(x).{h}/{p}", Refused),
    ("ssh://git@{h};x/{p}", Refused),
    ("git@{h}.:{p}", Refused),
    ("git@{h}:../{p}", Refused),
    ("git@{h}:a/../{p}", Refused),
    ("git@{h}:./{p}", Refused),
    ("git@{h}://{p}", Refused),
    ("git@{h}:a//{p}", Refused),
    ("git@{h}:%2f{p}", Refused),
    ("git@{h}:{p}?x", Refused),
    ("git@{h}:{p}#x", Refused),
    ("git@{h}:a\\..\\{p}", Refused),
    ("git@{h}:\t{p}", Refused),
    ("git@{h}: {p}", Refused),
    ("git:word@{h}:{p}", Refused),
    ("other.example:x@{h}:{p}", Refused),
    ("[git@{h}:22]:{p}", Refused),
    ("[{h}:22]:{p}", Refused),
    ("[{h}]:{p}", Refused),
    ("git@-{h}:{p}", Refused),
    ("-{h}:{p}", Refused),
];

/// Addresses that start a program, or have no server.
const OTHER_TRANSPORTS: &[&str] = &[
    "ext::sh -c x",
    "ext::git-upload-pack https://{h}/{p}",
    "fd::17/{h}/{p}",
    "https::https://{h}/{p}",
    "git::https://{h}/{p}",
    "ftp://{h}/{p}",
    "ftps://{h}/{p}",
    "rsync://{h}/{p}",
    "git+ssh://{h}/{p}",
    "javascript://{h}/{p}",
    "file://{h}/{p}",
    "file:////{h}/{p}",
    "file:///srv/../{p}",
    "file:///%73rv/{p}",
    "file:///srv/{p}?x",
    "file:///srv/{p}#x",
    "file:///srv\\{p}",
    "--upload-pack=x",
    "-u",
];

fn spelled(template: &str, host: &str, path: &str) -> String {
    template.replace("{h}", host).replace("{p}", path)
}

/// Hosts with their names, and whether paths on them have case.
const HOSTS: &[(&str, &[&str])] = &[
    (
        "github:",
        &[
            "github.com",
            "GitHub.com",
            "www.github.com",
            "ssh.github.com",
            "WWW.GITHUB.COM",
        ],
    ),
    ("gitlab:", &["gitlab.com", "altssh.gitlab.com"]),
    ("bitbucket:", &["bitbucket.org", "altssh.bitbucket.org"]),
    ("codeberg:", &["codeberg.org"]),
    ("", &["git.corp", "GIT.Corp"]),
    (
        "",
        &[
            "xn--bcher-kva.corp",
            "bücher.corp",
            "BÜCHER.corp",
            "ｂücher.corp",
        ],
    ),
    (
        "",
        &[
            "10.0.0.1",
            "0x0a.1",
            "167772161",
            "012.0.0.1",
            "[::ffff:10.0.0.1]",
            "[::FFFF:a00:1]",
        ],
    ),
    (
        "",
        &[
            "[2001:db8::1]",
            "[2001:DB8:0:0:0:0:0:1]",
            "[2001:0db8::0.0.0.1]",
        ],
    ),
];

/// The rules for a repository, by the scheme of the spellings that they are about.
fn rules(alias: &str, host: &str, scheme: &str, path: &str) -> Vec<String> {
    let owner = path.split('/').next().unwrap();
    let mut rules = vec![
        format!("{scheme}://{host}/{owner}/*"),
        format!("{scheme}://{host}/{owner}/**"),
        format!("{scheme}://{host}/{path}"),
        format!("{scheme}://{host}/{path}.git"),
        format!("{scheme}://{host}/**"),
        format!("git+{scheme}://{host}/{owner}/*"),
        format!("{}://me@{host}/{owner}/*", scheme.to_uppercase()),
    ];
    if !alias.is_empty() {
        rules.push(format!("{alias}{owner}/*"));
        rules.push(format!("{alias}{path}"));
        rules.push(format!("{alias}**"));
    }
    if scheme == "ssh" {
        rules.push(format!("git@{host}:{owner}/*"));
    }
    rules
}

#[test]
fn every_spelling_is_judged_as_the_plain_url_or_refused() {
    let (evil, good) = ("evil/x", "good/x");
    let (mut judged, mut wrong) = (0, Vec::new());
    let mut check = |is_right: bool, what: String| {
        judged += 1;
        if !is_right {
            wrong.push(what);
        }
    };
    for (alias, names) in HOSTS {
        for (scheme, spellings) in [("https", WEB), ("ssh", SSH)] {
            for (host, (template, outcome)) in names
                .iter()
                .flat_map(|host| spellings.iter().map(move |row| (host, row)))
            {
                if !is_writable(template, host) {
                    continue;
                }
                let text = spelled(template, host, evil);
                let address = SourceAddress::parse(&text);
                let (Ok(address), Ok(twin)) = (
                    &address,
                    SourceAddress::parse(&spelled(template, host, good)),
                ) else {
                    check(*outcome == Refused, text);
                    continue;
                };
                if *outcome == Refused {
                    check(false, text);
                    continue;
                }
                for rule in names
                    .iter()
                    .flat_map(|name| rules(alias, name, scheme, evil))
                {
                    let Ok(pattern) = RepositoryPattern::parse(&rule) else {
                        check(false, rule);
                        continue;
                    };
                    let is_it = *outcome == Same;
                    check(pattern.matches(address) == is_it, format!("{rule} {text}"));
                    let is_host = is_it && rule.ends_with("**") && !rule.contains("evil");
                    check(pattern.matches(&twin) == is_host, format!("{rule} {twin}"));
                }
            }
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {judged} are wrong\n{}",
        wrong.join("\n")
    );
    assert!(judged > 10_000, "{judged}");
}

/// Whether a host can be written there: an address is not part of a name, and IPv6 has brackets already.
fn is_writable(template: &str, host: &str) -> bool {
    let is_address = host.starts_with(['[', '0', '1']);
    if is_address && (template.contains("{h}.other") || template.contains("[{h}]")) {
        return false;
    }
    let user = template.rsplit_once('@').map_or("", |(user, _)| user);
    !(host.starts_with('[') && (user.contains("{h}") || template.contains("x@{h}:")))
}

#[test]
fn other_transports_are_refused() {
    for template in OTHER_TRANSPORTS {
        let text = spelled(template, "github.com", "evil/x");
        assert!(SourceAddress::parse(&text).is_err(), "{text}");
    }
}

#[test]
fn every_form_that_a_person_types_is_the_same_address() {
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|_| false,
    };
    let pattern = RepositoryPattern::parse("github:evil/*").unwrap();
    for (text, is_denied) in [
        ("evil/x", true),
        ("Evil/X", true),
        ("evil/x/agents@^1", true),
        ("github:evil/x", true),
        ("github:EVIL/x//agents@v1", true),
        ("git+https://github.com/evil/x", true),
        ("https://github.com/evil/x//agents/a.md@v1", true),
        ("https://www.github.com/Evil/x/tree/main/agents", true),
        (
            "https://github.com:443/evil/x/blob/main/a.md?plain=1#L3",
            true,
        ),
        ("ssh://git@ssh.github.com:443/evil/x", true),
        ("git@github.com:evil/x//agents@v1", true),
        ("good/evil", false),
        ("github:good/evil", false),
        ("https://github.com/good/evil/tree/main/evil/x", false),
        ("https://git.corp/github.com/evil/x", false),
        ("gitlab:evil/x", false),
    ] {
        let url = match Address::parse(text, &context).unwrap() {
            Address::Repository(found) => found.url,
            Address::Browser(page) => page.url,
            other => panic!("{text} is {other:?}"),
        };
        assert_eq!(pattern.matches(&url), is_denied, "{text}");
    }
    for text in [
        "https://github.com/a/../evil/x",
        "https://github.com/a/../evil/x/tree/main/agents",
        "https://github.com/%65vil/x/tree/main/agents",
        "https://evil.com?@github.com/good/x/tree/main/agents",
        "https://evil.com\\@github.com/good/x",
        "github:../evil/x",
        "github:%65vil/x",
        "github:evil/x?y",
        "../x/../..//y\t",
    ] {
        let parsed = Address::parse(text, &context);
        let is_local = matches!(parsed, Ok(Address::Local(_)));
        assert!(parsed.is_err() || is_local, "{text} is {parsed:?}");
    }
}

#[test]
fn a_pattern_that_matches_no_url_is_an_error() {
    for text in [
        "corp/*",
        "*",
        "",
        "https://",
        "https://git.corp",
        "https://git.corp/",
        "https://git.corp./**",
        "https://git.corp:x/**",
        "https://git.corp/a/../**",
        "https://git.corp//**",
        "https://git.corp/%65vil/*",
        "https://git.corp/a\\*",
        "https://git.corp/a#b",
        "https://git.corp/[",
        "https://git%2ecorp/**",
        "ftp://git.corp/**",
        "github:",
        "github:evil",
        "git@git.corp:",
    ] {
        assert!(RepositoryPattern::parse(text).is_err(), "{text}");
    }
    for (text, address) in [
        ("https://*.corp/**", "https://git.corp/a/b"),
        ("https://{git,hub}.corp/**", "https://hub.corp/a"),
        (
            "https://git.corp/caf\u{e9}/*",
            "https://git.corp/caf%C3%A9/x",
        ),
        (
            "https://git.corp/caf%c3%a9/*",
            "https://git.corp/caf\u{e9}/x",
        ),
        ("https://git.corp/a%20b/*", "https://git.corp/a%20b/x"),
        ("https://git.corp:8443/**", "https://git.corp:08443/x"),
        ("file:///srv/a b/*", "file:///srv/a%20b/x"),
    ] {
        let pattern = RepositoryPattern::parse(text).unwrap();
        assert!(
            pattern.matches(&SourceAddress::parse(address).unwrap()),
            "{text}"
        );
    }
}

#[test]
fn a_refusal_never_repeats_the_secret() {
    for text in [
        "https://me:hunter2@h/x?y",
        "https://me:hun/ter2@h/x",
        "https://h/x?token=hunter2",
        "https://h/x#hunter2",
        "me:hunter2@h:x",
        "https://me:hunter2@h./x",
        "https://a@me:hunter2@h/x",
    ] {
        let error = SourceAddress::parse(text).unwrap_err();
        assert!(!error.to_string().contains("ter2"), "{text}: {error}");
    }
}

proptest! {
    /// The program that gets the URL finds the same host, port and path in it.
    #[test]
    fn a_browser_reads_an_accepted_url_alike(
        text in "https?://([a-z0-9:%._-]{0,6}@)?[a-zA-Z0-9.:%\\[\\]@é-]{1,12}(/[a-z.%2e\\\\?# é~-]{0,6}){0,4}"
    ) {
        let Ok(address) = SourceAddress::parse(&text) else { return Ok(()) };
        let url = url::Url::parse(address.reveal());
        let url = url.map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        let again = SourceAddress::parse(url.as_str());
        let again = again.map_err(|error| TestCaseError::fail(format!("{url}: {error}")))?;
        let same = agpm_model::same_repository(&address, &again);
        prop_assert!(same, "{} {}", text, url);
        prop_assert!(url.query().is_none() && url.fragment().is_none());
    }

    /// What is accepted is printed as something that is accepted, and is the same.
    #[test]
    fn the_url_for_git_is_read_alike(text in "(ssh://|git://|https://|file:///)?[a-z@:.\\[\\]%/~é]{1,16}") {
        let Ok(address) = SourceAddress::parse(&text) else { return Ok(()) };
        let again = SourceAddress::parse(address.reveal());
        prop_assert_eq!(again, Ok::<_, SourceAddressError>(address));
    }
}
