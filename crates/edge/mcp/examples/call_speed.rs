//! How long a session takes to open, and how many calls of `list` with a filter are answered in a second.
//!
//! `cargo run --release -p agpm-mcp --example call_speed -- FOLDER [CALLS]`, with a folder that holds a project.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]

use std::sync::Arc;
use std::time::Instant;

use agpm_mcp::{Writes, serve_streams};
use agpm_ops::{Environment, Network, Scope, Silent, World};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"speed","version":"1"}}}"#;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = std::path::PathBuf::from(arguments.next().unwrap()).canonicalize().unwrap();
    let calls = arguments.next().map_or(20_000, |text| text.parse().unwrap());
    let environment = Environment {
        scope: Scope::Project,
        folder,
        manifest: None,
        config: None,
        config_folder: None,
        cache: None,
        home: None,
        network: Network::Offline,
    };
    let world = World { environment, progress: Arc::new(Silent) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(world, calls));
    runtime.shutdown_background();
}

async fn measure(world: World, calls: usize) {
    let begun = Instant::now();
    let (ours, theirs) = duplex(1 << 16);
    let (output, mut input) = split(ours);
    let (server_input, server_output) = split(theirs);
    tokio::spawn(serve_streams(world, Writes::Refused, server_input, server_output));
    let mut lines = BufReader::new(output).lines();
    input.write_all(format!("{INITIALIZE}\n").as_bytes()).await.unwrap();
    lines.next_line().await.unwrap().unwrap();
    println!("initialize: {:?}", begun.elapsed());
    let writer = tokio::spawn(async move {
        for id in 1..=calls {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"agpm","arguments":{{"operation":"list","kind":"installed","query":"1"}}}}}}"#
            );
            input.write_all(call.as_bytes()).await.unwrap();
            input.write_all(b"\n").await.unwrap();
        }
        input
    });
    let begun = Instant::now();
    for _ in 0..calls {
        lines.next_line().await.unwrap().unwrap();
    }
    let speed = calls as f64 / begun.elapsed().as_secs_f64();
    println!("{calls} calls: {speed:.0} a second");
    drop(writer.await);
}
