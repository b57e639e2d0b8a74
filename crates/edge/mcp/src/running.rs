//! Starts the runtime and the server in it.

use std::sync::Arc;

use agpm_ops::{CatalogPlaces, SilentProgress, World};
use rmcp::serve_server;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};

use crate::http::serve_http;
use crate::options::{ServeError, ServeOptions, ServeTransport, WriteAccess};
use crate::server::McpSession;
use crate::shared::SharedState;
use crate::stdio::LineTransport;
use crate::watch::watch_files;

/// For the workers of both paces, the two streams, and a look at the files.
const MOST_THREADS: usize = 12;

/// Serves until the client is gone, or for ever over HTTP.
pub fn serve(world: World, options: ServeOptions) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let shared = shared(world, options.writes, options.places);
    let ended = runtime.block_on(async {
        match options.channel {
            ServeTransport::Stdio => {
                serve_one(shared, tokio::io::stdin(), tokio::io::stdout()).await;
                Ok(())
            }
            ServeTransport::Http(http) => serve_http(shared, http).await,
        }
    });
    // A read or a write that hangs must not keep the program.
    runtime.shutdown_background();
    ended
}

fn runtime() -> Result<Runtime, ServeError> {
    // One thread is enough for the protocol; slow work runs on blocking threads.
    let mut builder = Builder::new_current_thread();
    builder
        .enable_io()
        .enable_time()
        .max_blocking_threads(MOST_THREADS)
        .build()
        .map_err(ServeError::Runtime)
}

/// Bars and the like have no place in a protocol.
fn shared(world: World, writes: WriteAccess, places: CatalogPlaces) -> Arc<SharedState> {
    SharedState::new(
        World {
            progress: Arc::new(SilentProgress),
            ..world
        },
        writes,
        places,
    )
}

/// Serves one client over a pair of streams until it is gone.
pub async fn serve_streams<R, W>(world: World, writes: WriteAccess, input: R, output: W)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    serve_one(
        shared(world, writes, CatalogPlaces::default()),
        input,
        output,
    )
    .await;
}

async fn serve_one<R, W>(shared: Arc<SharedState>, input: R, output: W)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (flow, closing) = (Arc::clone(&shared.flow), shared.closing.clone());
    let transport = LineTransport::start(input, output, flow, closing);
    let session = McpSession::new(Arc::clone(&shared));
    // A client that goes before it said anything is as good as one that goes after.
    if let Ok(running) = serve_server(session, transport).await {
        tokio::spawn(watch_files(Arc::clone(&shared)));
        let _ = running.waiting().await;
    }
    shared.closing.cancel();
}
