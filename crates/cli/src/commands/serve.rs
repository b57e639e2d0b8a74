use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_diag::{Diagnostic, codes};
use agpm_diag::{FailureKind, Outcome};
use agpm_mcp::{AccessToken, HttpOptions, ServeOptions, ServeTransport, WriteAccess, serve};
use agpm_report::RenderedReport;

use crate::args::{McpArgs, ServeCommand};
use crate::output::Output;

const WAITING: &str = "Waiting for an MCP client on standard input. Press Ctrl-C to stop.";
/// The variable that a token is taken from.
const TOKEN: &str = "AGPM_MCP_TOKEN";

pub(crate) fn run(world: World, command: ServeCommand, output: &mut Output) -> ExitCode {
    let ServeCommand::Mcp(args) = command;
    if args.http.is_none() && io::stdin().is_terminal() {
        // A silent server looks like a hanging program.
        let _ = writeln!(io::stderr(), "{WAITING}");
    }
    match options(args) {
        Err(diagnostic) => fail(FailureKind::Usage, diagnostic, output),
        Ok(options) => match serve(world, options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let diagnostic = Diagnostic::new(&codes::IO_UNREADABLE, error.to_string());
                fail(
                    FailureKind::Errors,
                    diagnostic.help("use another port, or 0 for any free port"),
                    output,
                )
            }
        },
    }
}

fn fail(kind: FailureKind, diagnostic: Diagnostic, output: &mut Output) -> ExitCode {
    output.finish(Outcome::<()>::failed(kind, diagnostic), |(), _| {
        RenderedReport::Text(String::new())
    })
}

fn options(args: McpArgs) -> Result<ServeOptions, Diagnostic> {
    let channel = match args.http {
        None => ServeTransport::Stdio,
        Some(port) => {
            let (token, printed) = token()?;
            let ready = Box::new(move |address| ready(address, printed.as_deref()));
            ServeTransport::Http(HttpOptions { port, token, ready })
        }
    };
    let writes = if args.allow_write {
        WriteAccess::Allowed
    } else {
        WriteAccess::Refused
    };
    Ok(ServeOptions {
        channel,
        writes,
        selection: args.layers.options(),
    })
}

/// Returns the token, and its text if it was generated.
fn token() -> Result<(AccessToken, Option<String>), Diagnostic> {
    let from_environment = std::env::var_os(TOKEN).filter(|text| !text.is_empty());
    let token = match &from_environment {
        Some(text) => text.to_str().and_then(AccessToken::new),
        None => AccessToken::generate(),
    };
    let token = token.ok_or_else(|| {
        let message = format!("`{TOKEN}` is not a valid HTTP header value");
        Diagnostic::new(&codes::USAGE, message).help("set it to at least 32 letters and digits")
    })?;
    let printed = from_environment
        .is_none()
        .then(|| token.reveal().to_owned());
    Ok((token, printed))
}

/// Prints the URL of the server.
fn ready(address: SocketAddr, token: Option<&str>) {
    let token = token
        .map(|token| format!("agpm: the token is {token}\n"))
        .unwrap_or_default();
    let text = format!("agpm: serving MCP at http://{address}/mcp\n{token}");
    let _ = io::stderr().write_all(text.as_bytes());
}
