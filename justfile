# The tasks of this repository. `just` lists them.

_list:
    @just --list

# All checks that a change must pass
check:
    .ci/run

# Run all tests; `AGPM_BLESS=1` updates the output in documents
test *ARGUMENTS:
    cargo test --workspace {{ARGUMENTS}}

# Test the server with third-party clients: the MCP inspector and the SDK for Python
test-clients PROGRAM="target/release/agpm":
    cargo build --release
    clients/run {{PROGRAM}}

# Test the packages, the install script and the manifests of a release
test-packages PROGRAM="target/release/agpm":
    cargo build --release
    python3 packaging/check.py {{PROGRAM}}

# Build the commit twice, and compare the bytes
reproduce:
    python3 packaging/reproduce.py

# Test registries with Debian's `docker-registry` and `skopeo`; skipped where they are not installed
test-registry:
    cargo test -p agpm --test registry -- --nocapture real

# Compare with peers that are installed (jq, node, python, yq), and with agpm-cli, which cargo installs
bench:
    cargo build --profile dist
    python3 bench/merge.py target/dist/agpm
    python3 bench/install.py target/dist/agpm
    python3 bench/tools.py target/dist/agpm
    python3 bench/content.py target/dist/agpm
    python3 bench/layers.py target/dist/agpm
    python3 bench/solve.py target/dist/agpm
    cargo bench -p agpm-resolve --bench solver
    python3 bench/inherit.py target/dist/agpm
    python3 bench/catalog.py target/dist/agpm
    python3 bench/mcp.py target/dist/agpm
    python3 bench/search.py target/dist/agpm
    python3 bench/network.py target/dist/agpm
    python3 bench/limits.py target/dist/agpm

# Build the release binary
dist:
    cargo build --profile dist -p agpm

# Run property tests with other seeds and more cases
soak CASES="20000":
    PROPTEST_RNG_SEED=$(date +%s) PROPTEST_CASES={{CASES}} cargo test --release -p agpm-text -p agpm-merge -p agpm-resolve

# Write the generated references and build the documentation of the crates
docs:
    cargo run -p agpm-xtask -- generate
    cargo doc --workspace --no-deps

# Fuzz one target for a minute; needs cargo-fuzz, and works with stable Rust
fuzz TARGET SECONDS="60":
    RUSTC_BOOTSTRAP=1 cargo fuzz run {{TARGET}} --sanitizer none -- -max_total_time={{SECONDS}}
