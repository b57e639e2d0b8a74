//! A session with one client: the methods of the protocol, as the SDK calls them.
#![expect(
    deprecated,
    reason = "current clients still request log messages, and resources could be subscribed to"
)]

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use crate::answer::OperationFailure;
use crate::completion::complete;
use crate::log::LogThreshold;
use crate::paging::{ListPage, PAGE, PageRequest, page};
use crate::protocol::error::{BUSY, INTERNAL, UNKNOWN_TOOL};
use crate::protocol::method::{cannot_answer, unknown_method};
use crate::shared::{SharedState, WorkPool};
use crate::tool::{self, ToolOperation};
use crate::traffic::Traffic;
use crate::uri::ResourceUri;
use crate::watch::{notify_session, notify_subscription};
use crate::{prompts, resources};

const INSTRUCTIONS: &str = "agpm knows the agents, workflows, skills, packages, personas and bottles of this project. \
Use the tool `agpm` with `list` to find something and `read` to get it; the highest rank wins. \
The server is read-only unless started with `--allow-write`.";

/// Subscriptions that may be open at once. Each is a request that is not answered until it ends.
const MOST_SUBSCRIPTIONS: usize = 16;

#[derive(Clone)]
pub(crate) struct Session {
    shared: Arc<SharedState>,
    /// The limits of a pair of streams. Connections of HTTP have their own.
    traffic: Option<Arc<Traffic>>,
    level: Arc<LogThreshold>,
    notified: Arc<AtomicBool>,
    subscriptions: Arc<AtomicUsize>,
}

type Context = RequestContext<RoleServer>;

impl Session {
    pub(crate) fn new(shared: Arc<SharedState>, traffic: Option<Arc<Traffic>>) -> Self {
        Session {
            shared,
            traffic,
            level: Arc::default(),
            notified: Arc::default(),
            subscriptions: Arc::default(),
        }
    }

    /// Runs an operation on a thread, after those that came before it.
    async fn work<T: Send + 'static>(
        &self,
        pool: WorkPool,
        context: &Context,
        job: impl FnOnce(&SharedState) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        tokio::select! {
            biased;
            // The SDK sends no answer to a cancelled request. A job that has started ends by itself.
            () = context.ct.cancelled() => Err(INTERNAL.error("the request was cancelled")),
            result = self.run(pool, context, job) => result,
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        pool: WorkPool,
        context: &Context,
        job: impl FnOnce(&SharedState) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let slot = self.shared.slot(pool).await;
        let shared = Arc::clone(&self.shared);
        let finished = tokio::task::spawn_blocking(move || (job(&shared), slot)).await;
        // The job panicked.
        let (result, slot) =
            finished.map_err(|_| INTERNAL.error("the operation failed; this is a bug in agpm"))?;
        // The slot stays taken until the answer is written, so answers that nobody reads are few.
        if let Some(traffic) = &self.traffic {
            traffic.keep_slot(&context.id, slot);
        }
        result
    }

    async fn quick<T: Send + 'static>(
        &self,
        context: &Context,
        job: impl FnOnce(&SharedState) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.work(WorkPool::Quick, context, job).await
    }
}

/// A page of a list of the protocol.
fn list_page<'a, T>(
    list: &'static str,
    items: &'a [T],
    request: Option<PaginatedRequestParams>,
    key: impl Fn(&T) -> Cow<'_, str>,
) -> Result<ListPage<'a, T>, ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let request = PageRequest {
        list,
        cursor: cursor.as_deref(),
        size: PAGE,
    };
    page(items, request, key)
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .build();
        let server = Implementation::new("agpm", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.notified.swap(true, Ordering::Relaxed) {
            let (shared, level) = (Arc::clone(&self.shared), Arc::clone(&self.level));
            tokio::spawn(notify_session(shared, context.peer, level));
        }
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        self.level.set(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let all = [tool::tool(self.shared.writes)];
        let page = list_page("tools", &all, request, |tool| Cow::from(&*tool.name))?;
        Ok(ListToolsResult::with_all_items(page.items.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != tool::NAME {
            let message = format!("unknown tool `{}`", request.name);
            return Err(UNKNOWN_TOOL.with_help(message, "the tool is named `agpm`"));
        }
        let arguments = request.arguments.unwrap_or_default();
        let operation = ToolOperation::read(&arguments, self.shared.writes)?;
        let pool = operation.pool();
        let job = move |shared: &SharedState| tool::run(shared, &operation);
        self.work(pool, &context, job)
            .await
            .map(CallToolResponse::from)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let job = |shared: &SharedState| {
            let all = resources::all(shared);
            let page = list_page("resources", &all, request, |one| Cow::from(&*one.uri))?;
            let mut result = ListResourcesResult::with_all_items(page.items.to_vec());
            result.next_cursor = page.next;
            Ok(result)
        };
        self.quick(&context, job).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = resources::templates();
        let page = list_page("templates", &all, request, |one| {
            Cow::from(&*one.uri_template)
        })?;
        Ok(ListResourceTemplatesResult::with_all_items(
            page.items.to_vec(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = ResourceUri::parse(&request.uri)?;
        let job = move |shared: &SharedState| {
            let content = resources::content_of(shared, &uri).map_err(OperationFailure::error)?;
            let contents = vec![content.into_resource(request.uri)];
            Ok(ReadResourceResult::new(contents).into())
        };
        self.quick(&context, job).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let job = |shared: &SharedState| {
            let all = prompts::all(shared).map_err(OperationFailure::error)?;
            let page = list_page("prompts", &all, request, |one| Cow::from(&*one.name))?;
            let mut result = ListPromptsResult::with_all_items(page.items.to_vec());
            result.next_cursor = page.next;
            Ok(result)
        };
        self.quick(&context, job).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let job = move |shared: &SharedState| {
            let result = prompts::get(shared, &request.name, request.arguments.as_ref())?;
            Ok(GetPromptResponse::from(result))
        };
        self.quick(&context, job).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let job = move |shared: &SharedState| complete(shared, &request).map(CompleteResult::new);
        self.quick(&context, job).await
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Err(unknown_method("resources/subscribe"))
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Err(unknown_method("resources/unsubscribe"))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        // The tool never changes, and single resources are not watched.
        accepted.tools_list_changed = None;
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let open = OpenSubscription::count(&self.subscriptions);
        if open.number > MOST_SUBSCRIPTIONS {
            let message =
                format!("too many subscriptions: at most {MOST_SUBSCRIPTIONS} are allowed");
            return Err(BUSY.error(message));
        }
        notify_subscription(&self.shared, subscription).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        // The SDK passes on requests that it cannot read, too.
        Err(cannot_answer(&request.method))
    }
}

/// A subscription, counted until it is dropped.
struct OpenSubscription<'a> {
    all: &'a AtomicUsize,
    number: usize,
}

impl<'a> OpenSubscription<'a> {
    fn count(all: &'a AtomicUsize) -> Self {
        let number = all.fetch_add(1, Ordering::Relaxed) + 1;
        OpenSubscription { all, number }
    }
}

impl Drop for OpenSubscription<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;
    use rmcp::service::{RunningService, serve_directly};

    use super::*;

    fn running() -> RunningService<RoleServer, Session> {
        let session = Session::new(SharedState::of_nothing(), None);
        let (_, server) = tokio::io::duplex(64);
        serve_directly(session, server, None)
    }

    #[tokio::test]
    async fn a_panic_is_answered_with_an_internal_error() {
        let running = running();
        let context = Context::new(RequestId::Number(1), running.peer().clone());
        let job = |_: &SharedState| -> Result<(), ErrorData> { panic!("a bug") };
        let error = running.service().quick(&context, job).await.unwrap_err();
        assert_eq!(error.data.unwrap()["code"], "mcp/internal");
        let job = |_: &SharedState| Ok("more");
        assert_eq!(running.service().quick(&context, job).await, Ok("more"));
    }

    #[tokio::test]
    async fn work_for_a_cancelled_request_is_not_started() {
        let running = running();
        let context = Context::new(RequestId::Number(1), running.peer().clone());
        context.ct.cancel();
        let job = |_: &SharedState| -> Result<(), ErrorData> { panic!("started") };
        assert!(running.service().quick(&context, job).await.is_err());
    }

    #[tokio::test]
    async fn few_operations_run_at_once_and_the_slots_of_unread_answers_are_taken() {
        let shared = SharedState::of_nothing();
        let traffic = Arc::new(Traffic::default());
        let session = Session::new(Arc::clone(&shared), Some(Arc::clone(&traffic)));
        let (_, server) = tokio::io::duplex(64);
        let running = serve_directly(session, server, None);
        let work = async |id| {
            let id = RequestId::Number(id);
            let context = Context::new(id, running.peer().clone());
            running.service().quick(&context, |_| Ok(())).await
        };
        for id in 1..=4 {
            assert!(traffic.admit(&RequestId::Number(id), 1));
            assert_eq!(work(id).await, Ok(()));
        }
        let patience = std::time::Duration::from_millis(20);
        let fifth = tokio::time::timeout(patience, work(5)).await;
        assert!(fifth.is_err(), "four answers are not written");
        traffic.answered(&RequestId::Number(3));
        assert_eq!(work(5).await, Ok(()));
    }
}
