//! Starts `agpm`; everything is in the library next to it.

fn main() -> std::process::ExitCode {
    agpm_cli::run(&std::env::args_os().collect::<Vec<_>>())
}
