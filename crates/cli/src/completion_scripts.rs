//! Completion scripts. Those for bash, zsh and fish call agpm for every word, so they know the names of the project.

use clap::Command;
use clap_complete::Shell;

/// The placeholder for the names of all commands, so the first word needs no process.
const COMMANDS: &str = "@COMMANDS@";

const BASH: &str = r#"# Completion of agpm for bash. Save it as
# ~/.local/share/bash-completion/completions/agpm
_agpm() {
    local line current="${COMP_WORDS[COMP_CWORD]}"
    local before="${COMP_LINE:0:COMP_POINT}"
    local -a words=()
    # Bash splits words at `:` and `=`, which are in URLs.
    read -r -a words <<< "$before"
    [[ "$before" == *" " ]] && words+=("")
    local typed="${words[${#words[@]}-1]}"
    local prefix="${typed%"$current"}"
    COMPREPLY=()
    if [[ ${#words[@]} -le 2 && "$typed" != -* ]]; then
        COMPREPLY=($(compgen -W "@COMMANDS@" -- "$current"))
        return
    fi
    while IFS=$'\t' read -r line _; do
        COMPREPLY+=("${line#"$prefix"}")
    done < <(agpm complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _agpm agpm
"#;

const ZSH: &str = r#"#compdef agpm
# Completion of agpm for zsh. Save it as _agpm in a directory of $fpath.
_agpm() {
    local -a candidates
    local word about
    if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
        compadd @COMMANDS@
        return
    fi
    while IFS=$'\t' read -r word about; do
        candidates+=("${word//:/\\:}:$about")
    done < <(agpm complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#candidates} )); then
        _describe agpm candidates
    else
        _files
    fi
}
if [ "$funcstack[1]" = "_agpm" ]; then
    _agpm "$@"
else
    compdef _agpm agpm
fi
"#;

const FISH: &str = r#"# Completion of agpm for fish. Save it as ~/.config/fish/completions/agpm.fish
function __agpm_complete
    set -l words (commandline -opc) (commandline -ct)
    agpm complete -- $words[2..-1] 2>/dev/null
end
complete -c agpm -n __fish_use_subcommand -f -a '@COMMANDS@'
complete -c agpm -n 'not __fish_use_subcommand' -a '(__agpm_complete)'
"#;

/// The script for a shell.
pub(crate) fn script(shell: Shell, mut declaration: Command) -> Vec<u8> {
    let dynamic = match shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
        _ => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut declaration, "agpm", &mut script);
            return script;
        }
    };
    let commands = declaration.get_subcommands();
    let commands = commands.filter(|command| !command.is_hide_set());
    let commands: Vec<&str> = commands.map(Command::get_name).collect();
    dynamic.replace(COMMANDS, &commands.join(" ")).into()
}
