//! Starts the runtime, and the server in it.

use std::sync::Arc;

use agpm_app::catalog::CatalogSelection;
use agpm_app::project::world::{SilentProgress, World};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};

use crate::http::serve_http;
use crate::options::{ServeError, ServeOptions, ServeTransport, WriteAccess};
use crate::shared::SharedState;
use crate::stdio::serve_lines;

/// For the operations of both pools, the two streams if they are not pipes, and the watch on files.
const MOST_THREADS: usize = 12;

/// Serves until the client is gone, or for ever over HTTP.
pub fn serve(world: World, options: ServeOptions) -> Result<(), ServeError> {
    let shared = shared(world, options.writes, options.selection);
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        match options.channel {
            ServeTransport::Stdio => {
                let (input, output) = stdio_pipes();
                serve_lines(&shared, input, output).await;
                Ok(())
            }
            ServeTransport::Http(http) => serve_http(shared, http).await,
        }
    });
    // An operation or a read that does not end must not keep the process.
    runtime.shutdown_background();
    served
}

/// Serves one client over a pair of streams until it is gone.
pub async fn serve_streams<R, W>(world: World, writes: WriteAccess, input: R, output: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let shared = shared(world, writes, CatalogSelection::default());
    serve_lines(&shared, input, output).await;
}

fn runtime() -> Result<Runtime, ServeError> {
    // The protocol needs one thread. Operations run on threads for blocking work.
    Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(MOST_THREADS)
        .build()
        .map_err(ServeError::Runtime)
}

fn shared(world: World, writes: WriteAccess, selection: CatalogSelection) -> Arc<SharedState> {
    // Progress bars would end up between the messages of the protocol.
    let progress = Arc::new(SilentProgress);
    SharedState::new(World { progress, ..world }, writes, selection)
}
