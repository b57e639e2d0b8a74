#![no_main]

use agpm_text::Format;

libfuzzer_sys::fuzz_target!(|text: &str| checks::check_reading(text, Format::Jsonc));
