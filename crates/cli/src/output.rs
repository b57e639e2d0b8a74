//! The two streams: results on standard output, everything else on standard error.

use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use agpm_diag::{Diagnostic, Severity, SourceMap, codes};
use agpm_diag::{FailureKind, Outcome};
use agpm_merge::{FileBytes, SecretDisplay};
use agpm_report::{
    ColorMode, CommandScope, DetailLevel, DiagnosticStyle, FailureDocument, RenderContext,
    RenderedReport, ReportDocument, Screen, StyledLine, Verdict, draw_diagnostics, draw_lines,
    one_line, printable,
    printed::{self, PrintedText},
};
use agpm_text::to_json;
use clap::ValueEnum;

use crate::args::{Cli, ColorChoice};
use crate::terminal::{answering_time, stdout_width, wants_next_step};

/// The output of a command.
pub(crate) struct Output {
    pub(crate) json: bool,
    /// Whether lines of files are drawn with their secrets.
    pub(crate) secrets: SecretDisplay,
    /// The options that suggested commands need to act on the same project.
    commands: CommandScope,
    quiet: bool,
    verbose: bool,
    paint: ColorMode,
    stdout_paint: ColorMode,
    started: Instant,
}

impl Output {
    pub(crate) fn new(cli: &Cli) -> Self {
        let global = &cli.global;
        let paint = |is_terminal: bool| color_mode(global.color, is_terminal);
        Output {
            json: global.json,
            secrets: SecretDisplay::Masked,
            commands: cli.commands_of_same_project(),
            quiet: global.quiet,
            verbose: global.verbose > 0,
            paint: paint(io::stderr().is_terminal()),
            stdout_paint: paint(io::stdout().is_terminal()),
            started: Instant::now(),
        }
    }

    /// Finishes a command: prints its diagnostics, and its report unless it failed.
    pub(crate) fn finish<T>(
        &mut self,
        outcome: Outcome<T>,
        show: impl FnOnce(T, &RenderContext<'_>) -> RenderedReport,
    ) -> ExitCode {
        self.finish_as(outcome, |_, _| Verdict::Good, show)
    }

    /// The same for a command whose report may hold findings.
    pub(crate) fn finish_as<T>(
        &mut self,
        outcome: Outcome<T>,
        judge: impl FnOnce(&T, &[Diagnostic]) -> Verdict,
        show: impl FnOnce(T, &RenderContext<'_>) -> RenderedReport,
    ) -> ExitCode {
        let Outcome {
            result,
            diagnostics,
            sources,
            log,
        } = outcome;
        let commands = self.commands.clone();
        let diagnostics: Vec<Diagnostic> = diagnostics
            .into_iter()
            .map(|found| commands.complete_diagnostic(found))
            .collect();
        if self.verbose {
            let text: String = log
                .iter()
                .map(|line| format!("agpm: {}\n", one_line(line)))
                .collect();
            let _ = io::stderr().write_all(text.as_bytes());
        }
        match result {
            Ok(report) => {
                // A run that kept an edit instead of a new version did the rest, and fails.
                let has_conflict = diagnostics.iter().any(|found| {
                    *found.code == codes::INSTALL_CONFLICT && found.severity == Severity::Error
                });
                let verdict = match judge(&report, &diagnostics) {
                    Verdict::Good if has_conflict => Verdict::Findings,
                    verdict => verdict,
                };
                let (json, quiet, pen) = (self.json, self.quiet, self.pen());
                let context = RenderContext {
                    diagnostics: &diagnostics,
                    sources: &sources,
                    json,
                    quiet,
                    verdict,
                    pen,
                    screen: self.screen(),
                    commands: &commands,
                };
                let rendering = show(report, &context);
                if !matches!(
                    rendering,
                    RenderedReport::Report(_) | RenderedReport::ReportStream(_)
                ) {
                    self.diagnose(&diagnostics, &sources);
                }
                let written = match rendering {
                    RenderedReport::Done(_)
                    | RenderedReport::DoneLines(_)
                    | RenderedReport::Steps(_)
                    | RenderedReport::Empty(_)
                        if quiet =>
                    {
                        ExitCode::SUCCESS
                    }
                    RenderedReport::Text(text) | RenderedReport::Done(text) => {
                        write_stdout(printable(&text).as_bytes())
                    }
                    RenderedReport::Lines(lines) | RenderedReport::DoneLines(lines) => {
                        write_stdout(draw_lines(&lines, self.stdout_paint).as_bytes())
                    }
                    RenderedReport::Steps(steps) => write_steps(&steps, self.stdout_paint),
                    RenderedReport::Data(text) | RenderedReport::Report(text) => {
                        write_stdout(text.as_bytes())
                    }
                    RenderedReport::Empty(text) => {
                        let _ = writeln!(io::stderr(), "{}", commands.complete_text(text));
                        ExitCode::SUCCESS
                    }
                    RenderedReport::Bytes(bytes) => write_stdout(&bytes),
                    RenderedReport::Pieces(rendered) => write_pieces(&rendered),
                    RenderedReport::Stream(write) | RenderedReport::ReportStream(write) => {
                        let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
                        written(write(&mut stdout).and_then(|()| stdout.flush()))
                    }
                };
                match verdict {
                    Verdict::Good => written,
                    Verdict::Findings => ExitCode::FAILURE,
                    Verdict::As(kind) => ExitCode::from(kind.exit_code()),
                }
            }
            Err(kind) => {
                if self.json {
                    write_stdout(to_json(&FailureDocument::new(&diagnostics, &sources)).as_bytes());
                } else {
                    self.diagnose(&diagnostics, &sources);
                }
                ExitCode::from(kind.exit_code())
            }
        }
    }

    /// Finishes a command that prints generated text about agpm itself.
    pub(crate) fn finish_text(&mut self, text: &[u8]) -> ExitCode {
        let outcome = Outcome {
            result: Ok(String::from_utf8_lossy(text).into_owned()),
            diagnostics: Vec::new(),
            sources: SourceMap::default(),
            log: Vec::new(),
        };
        self.finish(outcome, printed::render)
    }

    /// Returns whether the user wants more detail.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    fn screen(&self) -> Screen {
        Screen {
            width: stdout_width(),
            color: self.stdout_paint,
            elapsed: io::stdout()
                .is_terminal()
                .then(|| self.started.elapsed().saturating_sub(answering_time())),
        }
    }

    fn detail(&self) -> DetailLevel {
        if self.verbose {
            DetailLevel::All
        } else {
            DetailLevel::Folded
        }
    }

    fn pen(&self) -> DiagnosticStyle {
        DiagnosticStyle {
            paint: self.paint,
            secrets: self.secrets,
            detail: self.detail(),
        }
    }

    fn diagnose(&self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let loud = diagnostics
            .iter()
            .filter(|d| !self.quiet || d.severity == Severity::Error);
        let text = draw_diagnostics(loud, sources, self.pen());
        // Nothing can be reported if standard error is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Whether colors are used. A flag wins over the environment, and `NO_COLOR` over `CLICOLOR_FORCE`.
fn color_mode(choice: ColorChoice, is_terminal: bool) -> ColorMode {
    let is_set = |name: &str| {
        let value = std::env::var_os(name);
        value.is_some_and(|value| !value.is_empty() && value != "0")
    };
    let has_color = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto
            if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) =>
        {
            false
        }
        ColorChoice::Auto => is_terminal || is_set("CLICOLOR_FORCE"),
    };
    if has_color {
        ColorMode::Colour
    } else {
        ColorMode::Plain
    }
}

/// Prints one step after the other, waiting for a key on a terminal.
fn write_steps(steps: &[Vec<StyledLine>], paint: ColorMode) -> ExitCode {
    let (mut written, count) = (ExitCode::SUCCESS, steps.len());
    for (at, step) in steps.iter().enumerate() {
        let text = format!("[{}/{count}] {}", at + 1, draw_lines(step, paint));
        written = write_stdout(text.as_bytes());
        if at + 1 < count && io::stdout().is_terminal() && !wants_next_step() {
            break;
        }
        if at + 1 < count {
            write_stdout(b"\n");
        }
    }
    written
}

/// Writes a result.
pub(crate) fn write_stdout(bytes: &[u8]) -> ExitCode {
    let mut stdout = io::stdout().lock();
    written(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

fn write_pieces(rendered: &FileBytes) -> ExitCode {
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    written(
        rendered
            .each_piece(|piece| stdout.write_all(piece))
            .and_then(|()| stdout.flush()),
    )
}

/// A reader that closes the pipe early, such as `head`, is not an error.
fn written(result: io::Result<()>) -> ExitCode {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: cannot write the result: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Help and version go to standard output; anything else is wrong usage.
pub(crate) fn usage_error(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let text = separate_reason(error, &error.render().to_string());
    // The arguments could not be parsed, so the flag is read from the typed words.
    let is_terminal = if error.use_stderr() {
        io::stderr().is_terminal()
    } else {
        io::stdout().is_terminal()
    };
    let styled = match color_mode(typed_color(arguments), is_terminal) {
        ColorMode::Colour => separate_reason(error, &error.render().ansi().to_string()),
        ColorMode::Plain => text.clone(),
    };
    if !error.use_stderr() && wants_json(arguments) {
        let (report, sources) = (PrintedText { text }, SourceMap::default());
        return write_stdout(to_json(&ReportDocument::new(&report, &[], &sources)).as_bytes());
    }
    if !error.use_stderr() {
        return write_stdout(styled.as_bytes());
    }
    if wants_json(arguments) {
        let diagnostic = usage_diagnostic(error, &text).help("run the command with --help");
        let (diagnostics, sources) = ([diagnostic], SourceMap::default());
        write_stdout(to_json(&FailureDocument::new(&diagnostics, &sources)).as_bytes());
    } else {
        let coded = if text.starts_with("error: ") {
            styled.replacen("error:", &format!("error[{}]:", codes::USAGE.name), 1)
        } else {
            styled
        };
        let _ = io::stderr().write_all(coded.as_bytes());
    }
    ExitCode::from(FailureKind::Usage.exit_code())
}

/// Moves the reason why a value is invalid to its own line: with the list of valid words it is longer than a message.
fn separate_reason(error: &clap::Error, text: &str) -> String {
    match invalid_value_reason(error) {
        Some(reason) => text.replacen(&format!(": {reason}"), &format!("\n  {reason}"), 1),
        None => text.to_owned(),
    }
}

fn invalid_value_reason(error: &clap::Error) -> Option<String> {
    let is_invalid = error.kind() == clap::error::ErrorKind::ValueValidation;
    let reason = std::error::Error::source(error).filter(|_| is_invalid)?;
    Some(reason.to_string())
}

/// Returns the problem in one line; the indented lines of `text` name the arguments concerned. The reason why a value
/// is invalid and the list of valid ones are details.
fn usage_diagnostic(error: &clap::Error, text: &str) -> Diagnostic {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Diagnostic::new(&codes::USAGE, "no command given");
    }
    let paragraph = text
        .trim_start_matches("error: ")
        .lines()
        .take_while(|line| !line.trim().is_empty());
    let reason = invalid_value_reason(error);
    let is_detail = |line: &&str| line.starts_with('[') || reason.as_deref() == Some(*line);
    let (details, problem): (Vec<&str>, Vec<&str>) = paragraph.map(str::trim).partition(is_detail);
    let details = details.into_iter().map(str::to_owned);
    Diagnostic::new(&codes::USAGE, problem.join(" ")).details(details)
}

/// Returns the last valid `--color` that was typed.
fn typed_color(arguments: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let apart = words
        .windows(2)
        .filter(|pair| pair[0] == "--color")
        .map(|pair| pair[1]);
    let joined = words
        .iter()
        .filter_map(|word| word.strip_prefix("--color="));
    let choice = |name: &str| ColorChoice::from_str(name, false).ok();
    let typed = joined.chain(apart).filter_map(choice).next_back();
    typed.unwrap_or(ColorChoice::Auto)
}

fn wants_json(arguments: &[OsString]) -> bool {
    let before_files = arguments.iter().take_while(|argument| *argument != "--");
    let words: Vec<&OsString> = before_files.collect();
    words
        .iter()
        .any(|word| *word == "--json" || *word == "--format=json")
        || words
            .windows(2)
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}
