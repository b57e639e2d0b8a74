#!/bin/sh
# Installs agpm, its manual pages and its shell completions from a release archive, after verifying the checksum.
set -eu

# The generated script of a release has these values.
repository=''
version=''
checksums=''

usage() {
    cat <<'END'
usage: install.sh [--prefix DIR] [--version VERSION] [--from DIR|URL] [--target TARGET]

  --prefix DIR       installs into DIR/bin and DIR/share [default: ~/.local]
  --version VERSION  another release than the one of this script
  --from DIR|URL     takes the archive and `sha256.sum` from there
  --target TARGET    another platform than this machine's
END
}

fail() {
    printf 'error: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf ' = help: %s\n' "$2" >&2
    exit "${3:-1}"
}

detect_target() {
    system=$(uname -s)
    processor=$(uname -m)
    # A shell under Rosetta reports the wrong processor.
    if [ "$system" = Darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" = 1 ]; then
        processor=arm64
    fi
    case $processor in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "no release for the processor $processor" "build it: \`cargo install --git URL agpm\`" ;;
    esac
    case $system in
    Linux) printf '%s-unknown-linux-musl' "$processor" ;;
    Darwin) printf '%s-apple-darwin' "$processor" ;;
    MINGW* | MSYS* | CYGWIN*) printf '%s-pc-windows-msvc' "$processor" ;;
    *) fail "no release for $system" "build it: \`cargo install --git URL agpm\`" ;;
    esac
}

download() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --proto "$1" --output "$3" "$2"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document="$3" "$2"
    else
        fail "neither curl nor wget is installed" "download the archive, and pass its directory with \`--from\`"
    fi || fail "$2 cannot be downloaded"
}

# Copies or downloads a file of the release.
fetch() {
    case $from in
    https://*) download '=https' "$from/$1" "$2" ;;
    # A mirror on this machine, such as a tunnel.
    http://localhost[:/]* | http://127.0.0.1[:/]*) download '=http' "$from/$1" "$2" ;;
    *://*) fail "\`$from\` is not an https URL" "" 2 ;;
    *)
        [ -f "$from/$1" ] || fail "$from/$1 not found"
        cp "$from/$1" "$2"
        ;;
    esac
}

checksum_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null; then
        openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
    else
        fail "no program computes SHA-256" "install coreutils, perl or openssl"
    fi
}

# Written next to its destination first, so a running or half-copied program is never replaced in place.
install_file() {
    mkdir -p "$(dirname "$3")"
    cp "$1" "$3.new.$$"
    chmod "$2" "$3.new.$$"
    mv -f "$3.new.$$" "$3"
}

prefix=
from=
target=
wanted=$version
while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --version | --from | --target)
        [ $# -ge 2 ] || fail "$1 needs a value" "install.sh --help" 2
        case $1 in
        --prefix) prefix=$2 ;;
        --version) wanted=${2#v} ;;
        --from) from=${2%/} ;;
        --target) target=$2 ;;
        esac
        shift 2
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) fail "unknown argument $1" "install.sh --help" 2 ;;
    esac
done

if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set" "pass \`--prefix DIR\`" 2
    prefix=$HOME/.local
fi
if [ -z "$from" ]; then
    [ -n "$repository" ] || fail "this copy of the script belongs to no release" \
        "run the one of a release, or pass the directory of the archive with \`--from\`" 2
    from=$repository/releases/download/v$wanted
fi
[ -n "$target" ] || target=$(detect_target)
case $target in
*-windows-*) archive=agpm-$target.zip program=agpm.exe ;;
*) archive=agpm-$target.tar.gz program=agpm ;;
esac

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The checksums of this script are those of its own release only.
if [ -z "$checksums" ] || [ "$wanted" != "$version" ]; then
    fetch sha256.sum "$temp/sha256.sum"
    checksums=$(cat "$temp/sha256.sum")
fi
expected=$(printf '%s\n' "$checksums" | sed -n "s/^\([0-9a-fA-F]\{64\}\) [ *]$archive\$/\1/p")
[ -n "$expected" ] || fail "the release has no checksum of $archive" "see which platforms it has, or build agpm with cargo"

fetch "$archive" "$temp/$archive"
actual=$(checksum_of "$temp/$archive")
[ "$actual" = "$expected" ] || fail "the checksum of $archive is $actual instead of $expected" \
    "download it again; if it stays wrong, report it and do not use the archive"

mkdir "$temp/files"
case $archive in
*.zip)
    command -v unzip >/dev/null || fail "unzip is not installed"
    unzip -q "$temp/$archive" -d "$temp/files"
    files=$temp/files
    ;;
*)
    tar -xzf "$temp/$archive" -C "$temp/files"
    files=$temp/files/agpm-$target
    ;;
esac
[ -f "$files/$program" ] || fail "$archive does not contain $program"

install_file "$files/$program" 755 "$prefix/bin/$program"
for page in "$files"/man/*.1; do
    [ ! -f "$page" ] || install_file "$page" 644 "$prefix/share/man/man1/$(basename "$page")"
done
install_completion() {
    [ ! -f "$files/completions/$1" ] || install_file "$files/completions/$1" 644 "$prefix/share/$2"
}
install_completion agpm.bash bash-completion/completions/agpm
install_completion agpm.fish fish/vendor_completions.d/agpm.fish
install_completion _agpm zsh/site-functions/_agpm

printf 'Installed %s\n' "$prefix/bin/$program"
first=$(command -v agpm || true)
if [ -z "$first" ]; then
    printf 'Add %s to PATH to run it as agpm\n' "$prefix/bin"
elif [ "$first" != "$prefix/bin/$program" ] && [ "$first" != "$prefix/bin/agpm" ]; then
    # agpm-cli installs a program of the same name.
    printf 'warning: agpm is %s; put %s before it in PATH\n' "$first" "$prefix/bin" >&2
fi
