//! Starts the server.

use std::io::{Read, Write, stdin, stdout};
use std::sync::Arc;

use agpm_app::catalog::CatalogSelection;
use agpm_app::project::world::{SilentProgress, World};

use crate::http::serve_http;
use crate::options::{ServeError, ServeOptions, ServeTransport, WriteAccess};
use crate::shared::SharedState;
use crate::stdio::serve_lines;

/// Serves until the client is gone, or for ever over HTTP.
pub fn serve(world: World, options: ServeOptions) -> Result<(), ServeError> {
    let shared = shared(world, options.writes, options.selection);
    match options.channel {
        ServeTransport::Stdio => serve_until_end(&shared, stdin(), stdout()),
        ServeTransport::Http(http) => serve_http(shared, http),
    }
}

/// Serves one client over a pair of streams until it is gone.
pub fn serve_streams<R, W>(
    world: World,
    writes: WriteAccess,
    input: R,
    output: W,
) -> Result<(), ServeError>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let shared = shared(world, writes, CatalogSelection::default());
    serve_until_end(&shared, input, output)
}

fn serve_until_end<R, W>(shared: &Arc<SharedState>, input: R, output: W) -> Result<(), ServeError>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let served = serve_lines(shared, input, output);
    shared.end.signal();
    served
}

fn shared(world: World, writes: WriteAccess, selection: CatalogSelection) -> Arc<SharedState> {
    // Progress bars would end up between the messages of the protocol.
    let progress = Arc::new(SilentProgress);
    SharedState::new(World { progress, ..world }, writes, selection)
}
