//! `add mcp NAME (URL | -- COMMAND ARGUMENT…)`: a server that is defined in the manifest itself.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{Manifest, secrets_of_server};
use agpm_text::Value;

use crate::manifest::{AddedEntry, AddedServer, ManifestAdditions, usage};

/// A server as typed.
#[derive(Clone, Debug)]
pub struct NewServer {
    /// Its name in the manifest and in the files of tools.
    pub name: String,
    /// The URL of a remote server.
    pub url: Option<String>,
    /// The command of a local server, with its arguments.
    pub command: Vec<String>,
    /// `stdio`, `http` or `sse`; by default `http` for a URL.
    pub transport: Option<String>,
    /// Environment variables, as `NAME` or `NAME=VALUE`.
    pub variables: Vec<String>,
    /// Headers of requests, as `NAME: VALUE`.
    pub headers: Vec<String>,
    /// The directory that the server runs in.
    pub directory: Option<String>,
}

impl NewServer {
    /// Adds the server to a manifest, unless the manifest has the same one.
    pub(super) fn add_to(
        &self,
        additions: &mut ManifestAdditions,
        tools: &[String],
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        let settings = Value::map(self.settings()?);
        self.refuse_secrets(&settings)?;
        let shown = match &self.url {
            Some(url) => url.clone(),
            None => self.command.join(" "),
        };
        let server = AddedServer {
            name: &self.name,
            settings: &settings,
            shown: &shown,
            tools,
        };
        additions.add_server(AddedEntry::of_server(server)?, &settings, manifest)
    }

    /// The keys of the entry, in the order in which they are written.
    fn settings(&self) -> Result<Vec<(&'static str, Value)>, Failure> {
        let mut settings = Vec::new();
        match (&self.url, self.command.as_slice()) {
            (Some(url), []) => self.describe_remote(url, &mut settings)?,
            (None, [program, arguments @ ..]) => {
                self.describe_command(program, arguments, &mut settings)?;
            }
            (Some(_), [_, ..]) => {
                return Err(usage(
                    "a server has either a URL or a command".to_owned(),
                    format!(
                        "run `agpm add mcp {} URL`, or `agpm add mcp {0} -- COMMAND`",
                        self.name
                    ),
                ));
            }
            (None, []) => {
                return Err(usage(
                    format!("the server `{}` has no URL and no command", self.name),
                    format!(
                        "write `agpm add mcp {0} https://HOST/PATH`, or `agpm add mcp {0} -- npx -y PACKAGE`",
                        self.name
                    ),
                ));
            }
        }
        Ok(settings)
    }

    fn describe_remote(
        &self,
        url: &str,
        settings: &mut Vec<(&'static str, Value)>,
    ) -> Result<(), Failure> {
        if self.transport.as_deref() == Some("stdio") {
            return Err(usage(
                "`--type stdio` is for a command, not for a URL".to_owned(),
                "write the command after `--`".to_owned(),
            ));
        }
        if !self.variables.is_empty() {
            return Err(usage(
                "`--env` is for a command: a remote server has its own environment".to_owned(),
                "send a value with `--header 'NAME: ${VARIABLE}'`".to_owned(),
            ));
        }
        if self.directory.is_some() {
            return Err(usage(
                "`--cwd` is for a command, not for a URL".to_owned(),
                "leave out `--cwd`".to_owned(),
            ));
        }
        refuse_other_url(url)?;
        settings.push(("url", Value::from(url)));
        if let Some(transport) = &self.transport {
            settings.push(("type", Value::from(transport.as_str())));
        }
        let mut headers: Vec<(String, Value)> = Vec::new();
        for header in &self.headers {
            let (name, value) = split_header(header)?;
            if headers
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
            {
                return Err(usage(
                    format!("the header `{name}` is set twice"),
                    "set each header once".to_owned(),
                ));
            }
            headers.push((name.to_owned(), Value::from(value)));
        }
        if !headers.is_empty() {
            settings.push(("headers", Value::Map(headers)));
        }
        Ok(())
    }

    fn describe_command(
        &self,
        program: &str,
        arguments: &[String],
        settings: &mut Vec<(&'static str, Value)>,
    ) -> Result<(), Failure> {
        if let Some(transport) = self.transport.as_deref().filter(|name| *name != "stdio") {
            return Err(usage(
                format!("`--type {transport}` is for a URL, not for a command"),
                "leave out `--type`, or write the URL of the server".to_owned(),
            ));
        }
        if !self.headers.is_empty() {
            return Err(usage(
                "`--header` is for a URL, not for a command".to_owned(),
                "set variables of the command with `--env NAME`".to_owned(),
            ));
        }
        settings.push(("command", Value::from(program)));
        if !arguments.is_empty() {
            let arguments = Value::list(arguments.iter().map(String::as_str));
            settings.push(("args", arguments));
        }
        let mut variables: Vec<(String, Value)> = Vec::new();
        for variable in &self.variables {
            let (name, value) = split_variable(variable)?;
            variables.retain(|(other, _)| other != name);
            variables.push((name.to_owned(), Value::from(value)));
        }
        if !variables.is_empty() {
            settings.push(("env", Value::Map(variables)));
        }
        if let Some(directory) = &self.directory {
            settings.push(("cwd", Value::from(directory.as_str())));
        }
        if self.transport.is_some() {
            settings.push(("type", Value::from("stdio")));
        }
        Ok(())
    }

    /// A manifest is shared, and the files of the tools are too.
    fn refuse_secrets(&self, settings: &Value) -> Result<(), Failure> {
        let Some(secret) = secrets_of_server(settings).into_iter().next() else {
            return Ok(());
        };
        let message = format!("{} of {} contains a secret", secret.place(), self.name);
        let help = match (secret.key, &secret.name) {
            ("env", Some(name)) => {
                format!(
                    "write `--env {name}` without a value, and set `{name}` in your environment"
                )
            }
            _ => secret.help(),
        };
        let mut found = Diagnostic::new(&codes::MANIFEST_SECRET, message).help(help);
        found.severity = agpm_diag::Severity::Error;
        Err(Failure::new(FailureKind::Refused, found))
    }
}

fn refuse_other_url(text: &str) -> Result<(), Failure> {
    // A variable may be the whole URL, or the host in it.
    let host = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    if text.starts_with("${") || host.is_some_and(|rest| !rest.is_empty()) {
        return Ok(());
    }
    Err(usage(
        format!("`{text}` is not the URL of a server"),
        "write a URL such as `https://mcp.example.com/mcp`, or a command after `--`".to_owned(),
    ))
}

/// `NAME: VALUE`, or `NAME=VALUE` as other programs write it.
fn split_header(header: &str) -> Result<(&str, &str), Failure> {
    let parts = header.split_once(':').or_else(|| header.split_once('='));
    let is_name_character = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if let Some((name, value)) = parts {
        let (name, value) = (name.trim(), value.trim());
        if !name.is_empty() && name.chars().all(is_name_character) && !value.is_empty() {
            return Ok((name, value));
        }
    }
    Err(usage(
        "a header is not of the form `NAME: VALUE`".to_owned(),
        "write `--header 'Authorization: Bearer ${TOKEN}'`".to_owned(),
    ))
}

/// `NAME=VALUE`; `NAME` alone is the variable of that name in the user's environment.
fn split_variable(variable: &str) -> Result<(&str, String), Failure> {
    let (name, value) = match variable.split_once('=') {
        Some((name, value)) => (name, value.to_owned()),
        None => (variable, format!("${{{variable}}}")),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty()
        || !name.chars().all(is_name)
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err(usage(
            format!("`{name}` is not the name of a variable"),
            "write `--env NAME` or `--env NAME=VALUE`".to_owned(),
        ));
    }
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: Option<&str>, command: &[&str]) -> NewServer {
        NewServer {
            name: "s".to_owned(),
            url: url.map(str::to_owned),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            transport: None,
            variables: Vec::new(),
            headers: Vec::new(),
            directory: None,
        }
    }

    fn settings(server: &NewServer) -> String {
        Value::map(server.settings().expect("valid settings"))
            .to_json()
            .split_whitespace()
            .collect()
    }

    #[test]
    fn a_command_keeps_its_arguments_and_variables() {
        let mut local = server(None, &["npx", "-y", "x"]);
        local.variables = vec!["TOKEN".to_owned(), "MODE=dry".to_owned()];
        assert_eq!(
            settings(&local),
            r#"{"command":"npx","args":["-y","x"],"env":{"TOKEN":"${TOKEN}","MODE":"dry"}}"#
        );
    }

    #[test]
    fn a_url_has_headers_and_a_type() {
        let mut remote = server(Some("https://mcp.example.com/mcp"), &[]);
        remote.headers = vec!["Authorization: Bearer ${TOKEN}".to_owned()];
        remote.transport = Some("sse".to_owned());
        assert_eq!(
            settings(&remote),
            r#"{"url":"https://mcp.example.com/mcp","type":"sse","headers":{"Authorization":"Bearer${TOKEN}"}}"#
        );
    }

    #[test]
    fn settings_that_contradict_each_other_are_wrong_usage() {
        let with = |change: fn(&mut NewServer), base: NewServer| {
            let mut server = base;
            change(&mut server);
            server.settings().expect_err("refused").kind
        };
        let url = || server(Some("https://h/x"), &[]);
        let command = || server(None, &["npx"]);
        for kind in [
            with(|_| {}, server(None, &[])),
            with(|_| {}, server(Some("ftp://h"), &[])),
            with(|_| {}, server(Some("https://h"), &["npx"])),
            with(|one| one.transport = Some("stdio".to_owned()), url()),
            with(|one| one.transport = Some("http".to_owned()), command()),
            with(|one| one.variables = vec!["A".to_owned()], url()),
            with(|one| one.headers = vec!["A: b".to_owned()], command()),
            with(|one| one.headers = vec!["A".to_owned()], url()),
            with(
                |one| one.headers = vec!["A: b".to_owned(), "a: c".to_owned()],
                url(),
            ),
            with(|one| one.variables = vec!["1A=x".to_owned()], command()),
        ] {
            assert_eq!(kind, FailureKind::Usage);
        }
    }

    #[test]
    fn a_secret_is_refused_with_the_form_to_use() {
        let mut local = server(None, &["npx"]);
        local.variables = vec!["API_TOKEN=ghp_abcdefghijklmnop".to_owned()];
        let settings = Value::map(local.settings().expect("valid settings"));
        let failure = local.refuse_secrets(&settings).expect_err("refused");
        assert_eq!(failure.kind, FailureKind::Refused);
        let help = failure.diagnostic.and_then(|found| found.help);
        assert!(help.expect("a help").contains("--env API_TOKEN"));
    }
}
