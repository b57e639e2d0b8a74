#![no_main]

#[path = "../protocol.rs"]
mod protocol;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let directory = std::env::temp_dir();
    protocol::check_protocol(bytes, &directory)
});
