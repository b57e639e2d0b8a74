"""Manifests of package managers that download a release: Homebrew, winget and the install script.

They are computed from the checksum file of the release alone, so a maintainer can compare them with it.
"""

import re
import string

from archives import read_checksums
from project import COMPLETIONS, PROGRAM, ROOT, TARGETS, ReleaseError, find_target, require_repository

WINGET_SCHEMA = "1.10.0"

FORMULA = string.Template('''\
class Agpm < Formula
  desc "$description"
  homepage "$repository"
  version "$version"
  license any_of: [$licenses]

$platforms
  def install
    bin.install "agpm"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/$bash" => "agpm"
    fish_completion.install "completions/$fish"
    zsh_completion.install "completions/$zsh"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/agpm --version")
  end
end
''')

WINGET_VERSION = string.Template('''\
# yaml-language-server: $$schema=https://aka.ms/winget-manifest.version.$schema.schema.json
PackageIdentifier: $identifier
PackageVersion: $version
DefaultLocale: en-US
ManifestType: version
ManifestVersion: $schema
''')

WINGET_INSTALLER = string.Template('''\
# yaml-language-server: $$schema=https://aka.ms/winget-manifest.installer.$schema.schema.json
PackageIdentifier: $identifier
PackageVersion: $version
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
- RelativeFilePath: agpm.exe
  PortableCommandAlias: agpm
Commands:
- agpm
Dependencies:
  PackageDependencies:
  - PackageIdentifier: Git.Git
Installers:
${installers}ManifestType: installer
ManifestVersion: $schema
''')

WINGET_LOCALE = string.Template('''\
# yaml-language-server: $$schema=https://aka.ms/winget-manifest.defaultLocale.$schema.schema.json
PackageIdentifier: $identifier
PackageVersion: $version
PackageLocale: en-US
Publisher: $owner
PublisherUrl: $owner_url
PackageName: agpm
PackageUrl: $repository
License: $license
LicenseUrl: $repository/blob/v$version/LICENSE
ShortDescription: $description
ReleaseNotesUrl: $repository/releases/tag/v$version
Tags:
- agents
- cli
- mcp
- skills
ManifestType: defaultLocale
ManifestVersion: $schema
''')

# `#{` would interpolate, and a quote would end the string.
UNSAFE_IN_RUBY = re.compile(r'["\\#]')


def required_checksum(checksums, target):
    checksum = checksums.get(target.archive, "")
    if not re.fullmatch("[0-9a-f]{64}", checksum):
        raise ReleaseError(
            f"no checksum of {target.archive}", "a release has all six archives; build the missing one first"
        )
    return checksum


def render_formula(project, checksums):
    if UNSAFE_IN_RUBY.search(project.description):
        raise ReleaseError("the description of the crate has characters that need escapes in Ruby")
    blocks = []
    for system, pairs in [
        ("macos", [("arm", "aarch64-apple-darwin"), ("intel", "x86_64-apple-darwin")]),
        ("linux", [("arm", "aarch64-unknown-linux-musl"), ("intel", "x86_64-unknown-linux-musl")]),
    ]:
        blocks.append(f"  on_{system} do\n")
        for processor, triple in pairs:
            target = find_target(triple)
            blocks.append(
                f"    on_{processor} do\n"
                f'      url "{project.download_url(target.archive)}"\n'
                f'      sha256 "{required_checksum(checksums, target)}"\n'
                f"    end\n"
            )
        blocks.append("  end\n\n")
    return FORMULA.substitute(
        # Homebrew's audit refuses an article.
        description=re.sub("^An? (.)", lambda found: found[1].upper(), project.description),
        repository=project.repository,
        version=project.version,
        licenses=", ".join(f'"{name}"' for name in project.license.split(" OR ")),
        platforms="".join(blocks).rstrip("\n") + "\n",
        **COMPLETIONS,
    )


def render_winget(project, checksums):
    """Returns the three files of a version by name."""
    identifier = f"{project.owner}.{PROGRAM}"
    installers = ""
    for architecture, triple in [("arm64", "aarch64-pc-windows-msvc"), ("x64", "x86_64-pc-windows-msvc")]:
        target = find_target(triple)
        installers += (
            f"- Architecture: {architecture}\n"
            f"  InstallerUrl: {project.download_url(target.archive)}\n"
            f"  InstallerSha256: {required_checksum(checksums, target).upper()}\n"
        )
    facts = {
        "identifier": identifier,
        "version": project.version,
        "schema": WINGET_SCHEMA,
        "installers": installers,
        "owner": project.owner,
        "owner_url": project.repository.rsplit("/", 1)[0],
        "repository": project.repository,
        "license": project.license,
        "description": project.description,
    }
    return {
        f"{identifier}.yaml": WINGET_VERSION.substitute(facts),
        f"{identifier}.installer.yaml": WINGET_INSTALLER.substitute(facts),
        f"{identifier}.locale.en-US.yaml": WINGET_LOCALE.substitute(facts),
    }


def render_install_script(project, checksums):
    """Puts the release and its checksums into the script, so it trusts no second download."""
    lines = [f"{required_checksum(checksums, target)}  {target.archive}" for target in TARGETS]
    values = {"repository": project.repository, "version": project.version, "checksums": "\n".join(lines)}
    script = (ROOT / "packaging" / "install.sh").read_text()
    for name, value in values.items():
        if "'" in value:
            raise ReleaseError(f"`{value}` has a quote")
        empty = f"\n{name}=''\n"
        if script.count(empty) != 1:
            raise ReleaseError(f"packaging/install.sh does not set `{name}` once")
        script = script.replace(empty, f"\n{name}='{value}'\n")
    return script


def write_manifests(project, archives, out):
    require_repository(project)
    checksums = read_checksums(archives)
    files = {
        f"homebrew/{PROGRAM}.rb": render_formula(project, checksums),
        "install.sh": render_install_script(project, checksums),
    }
    for name, content in render_winget(project, checksums).items():
        files[f"winget/{name}"] = content
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (out / "install.sh").chmod(0o755)
    return [out / name for name in files]
