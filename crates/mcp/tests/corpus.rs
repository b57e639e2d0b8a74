//! The seeds of the fuzz target for the protocol.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::path::Path;

use agpm_testkit::Sandbox;

#[path = "../../../fuzz/protocol.rs"]
#[allow(unreachable_pub, missing_docs, clippy::expect_used)]
mod protocol;

#[test]
fn every_seed_is_answered_with_messages() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus-seeds/protocol");
    let sandbox = Sandbox::new("no program");
    let mut answered = 0;
    for file in std::fs::read_dir(seeds).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        protocol::check_protocol(&bytes, &sandbox.work());
        answered += protocol::answers(&bytes, &sandbox.work()).lines().count();
        for length in (0..bytes.len()).step_by(bytes.len() / 8 + 1) {
            protocol::check_protocol(&bytes[..length], &sandbox.work());
        }
    }
    assert!(answered > 0);
}
