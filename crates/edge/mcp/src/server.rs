//! The handler: what the protocol asks, and who answers.
#![expect(deprecated, reason = "current clients still request log messages")]

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
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use crate::answer::OperationFailure;
use crate::completion::complete;
use crate::log::LogThreshold;
use crate::methods::cannot_answer;
use crate::paging::{PAGE, PageRequest, page};
use crate::rpc_error::{BUSY, UNKNOWN_TOOL};
use crate::shared::{SharedState, WorkPool};
use crate::tool::{self, ToolOperation};
use crate::uri::ResourceUri;
use crate::watch::{notify_session, notify_subscription};
use crate::{prompts, resources};

const INSTRUCTIONS: &str = "agpm knows the agents, workflows, skills, packages, personas and bottles of this project. \
Use the tool `agpm` with `list` to find something and `read` to get it; the highest rank wins. \
The server is read-only unless started with `--allow-write`.";

/// So many subscriptions are open at once; each is a request that is not answered until it ends.
const MOST_SUBSCRIPTIONS: usize = 16;

/// A session with one client.
#[derive(Clone)]
pub(crate) struct McpSession {
    shared: Arc<SharedState>,
    level: Arc<LogThreshold>,
    notifies: Arc<AtomicBool>,
    subscriptions: Arc<AtomicUsize>,
}

type Context = RequestContext<RoleServer>;

impl McpSession {
    pub(crate) fn new(shared: Arc<SharedState>) -> Self {
        McpSession {
            shared,
            level: Arc::default(),
            notifies: Arc::default(),
            subscriptions: Arc::default(),
        }
    }

    async fn quick<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&SharedState) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.shared.work(WorkPool::Quick, &context.ct, work).await?
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for McpSession {
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
        let own = Implementation::new("agpm", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(own)
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.notifies.swap(true, Ordering::Relaxed) {
            tokio::spawn(notify_session(
                Arc::clone(&self.shared),
                context.peer,
                Arc::clone(&self.level),
            ));
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
        let cursor = cursor(request);
        page(
            &all,
            PageRequest {
                list: "tools",
                cursor: cursor.as_deref(),
                size: PAGE,
            },
            |tool| Cow::from(&*tool.name),
        )?;
        Ok(ListToolsResult::with_all_items(all.to_vec()))
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
        let operation =
            ToolOperation::read(&request.arguments.unwrap_or_default(), self.shared.writes)?;
        let pace = operation.pace();
        let work = move |shared: &SharedState| tool::run(shared, &operation);
        self.shared
            .work(pace, &context.ct, work)
            .await?
            .map(CallToolResponse::from)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.quick(&context, |shared| {
            let (all, cursor) = (resources::all(shared), cursor(request));
            let asked = PageRequest {
                list: "resources",
                cursor: cursor.as_deref(),
                size: PAGE,
            };
            let page = page(&all, asked, |resource| Cow::from(&*resource.uri))?;
            let mut result = ListResourcesResult::with_all_items(page.items.to_vec());
            result.next_cursor = page.next;
            Ok(result)
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (all, cursor) = (resources::templates(), cursor(request));
        let asked = PageRequest {
            list: "templates",
            cursor: cursor.as_deref(),
            size: PAGE,
        };
        page(&all, asked, |template| Cow::from(&*template.uri_template))?;
        Ok(ListResourceTemplatesResult::with_all_items(all))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let address = ResourceUri::parse(&request.uri)?;
        self.quick(&context, move |shared| {
            let content =
                resources::content_of(shared, &address).map_err(OperationFailure::error)?;
            Ok(ReadResourceResult::new(vec![content.into_resource(request.uri)]).into())
        })
        .await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.quick(&context, |shared| {
            let all = prompts::all(shared).map_err(OperationFailure::error)?;
            let cursor = cursor(request);
            let asked = PageRequest {
                list: "prompts",
                cursor: cursor.as_deref(),
                size: PAGE,
            };
            let page = page(&all, asked, |prompt| Cow::from(&*prompt.name))?;
            let mut result = ListPromptsResult::with_all_items(page.items.to_vec());
            result.next_cursor = page.next;
            Ok(result)
        })
        .await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.quick(&context, move |shared| {
            prompts::get(shared, &request.name, request.arguments.as_ref())
                .map(GetPromptResponse::from)
        })
        .await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        self.quick(&context, move |shared| {
            complete(shared, &request).map(CompleteResult::new)
        })
        .await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.tools_list_changed = None;
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let open = CountGuard::new(&self.subscriptions);
        if open.count > MOST_SUBSCRIPTIONS {
            return Err(BUSY.error(format!(
                "too many subscriptions: at most {MOST_SUBSCRIPTIONS} are allowed"
            )));
        }
        notify_subscription(&self.shared, subscription).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        Err(cannot_answer(&request.method))
    }
}

/// One more of something for as long as it lives.
struct CountGuard<'a> {
    all: &'a AtomicUsize,
    count: usize,
}

impl<'a> CountGuard<'a> {
    fn new(all: &'a AtomicUsize) -> Self {
        CountGuard {
            all,
            count: all.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}
