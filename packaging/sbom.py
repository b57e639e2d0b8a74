"""A software bill of materials of the program: CycloneDX 1.6, from the lockfile of cargo.

It has no time and no random serial number, so the same commit gives the same bytes.
"""

import json
import tomllib

from project import PROGRAM, ROOT, run_cargo_metadata

# Crates of the program, and those that only run while it is built (build scripts, procedural macros).
REQUIRED = "required"
EXCLUDED = "excluded"


def read_lock_checksums():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def reach_packages(metadata):
    """Returns the packages that the program needs, by id, with their scope and what each depends on."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    macros = {
        identity
        for identity, package in packages.items()
        if any("proc-macro" in target["kind"] for target in package["targets"])
    }
    start = next(identity for identity, package in packages.items() if package["name"] == PROGRAM)
    scopes = {start: REQUIRED}
    edges = {}
    waiting = [start]
    while waiting:
        identity = waiting.pop()
        edges[identity] = set()
        for dependency in nodes[identity]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if not kinds & {None, "build"}:
                # Only tests need it.
                continue
            edges[identity].add(dependency["pkg"])
            shipped = scopes[identity] == REQUIRED and None in kinds and dependency["pkg"] not in macros
            scope = REQUIRED if shipped else EXCLUDED
            # What is reached both ways is part of the program; its own dependencies are visited again.
            if scopes.get(dependency["pkg"]) not in (REQUIRED, scope):
                scopes[dependency["pkg"]] = scope
                waiting.append(dependency["pkg"])
    return packages, scopes, edges


def describe_component(package, scope, checksum):
    name, version = package["name"], package["version"]
    component = {
        "type": "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "scope": scope,
    }
    if package["description"]:
        component["description"] = " ".join(package["description"].split())
    if checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["license"]:
        # Crates of before 2018 wrote `/` for OR.
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["source"]:
        component["purl"] = f"pkg:cargo/{name}@{version}"
    return component


def build_sbom(target):
    metadata = run_cargo_metadata("--filter-platform", target.triple)
    packages, scopes, edges = reach_packages(metadata)
    checksums = read_lock_checksums()
    components = []
    dependencies = []
    root = None
    for identity, scope in scopes.items():
        package = packages[identity]
        component = describe_component(package, scope, checksums.get((package["name"], package["version"])))
        if package["name"] == PROGRAM:
            root = {**component, "type": "application"}
            del root["scope"]
        else:
            components.append(component)
        references = sorted(f"{packages[other]['name']}@{packages[other]['version']}" for other in edges[identity])
        dependencies.append({"ref": component["bom-ref"], "dependsOn": references})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": root,
            "properties": [{"name": "agpm:target", "value": target.triple}],
        },
        "components": sorted(components, key=lambda component: component["bom-ref"]),
        "dependencies": sorted(dependencies, key=lambda dependency: dependency["ref"]),
    }


def write_sbom(target, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(build_sbom(target), indent=2, ensure_ascii=False) + "\n")
