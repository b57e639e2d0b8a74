#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check_edit_of(bytes));
