//! The methods of the server: one table of names and the functions that start them.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::answer::OperationFailure;
use crate::completion::complete;
use crate::paging::{PAGE, PageRequest, page};
use crate::protocol::error::{ErrorData, PARAMETERS, UNKNOWN_TOOL};
use crate::protocol::log::LogLevel;
use crate::protocol::method::{self as name, cannot_answer, unknown_method};
use crate::protocol::params::{
    CompleteParams, InitializeParams, ListParams, ListenParams, NamedParams, ReadResourceParams,
    SetLevelParams, SubscriptionFilter,
};
use crate::protocol::results::{ResultShape, discover_result, list_result};
use crate::shared::SharedState;
use crate::tool::{self, ToolOperation};
use crate::uri::ResourceUri;
use crate::workers::WorkPool;
use crate::{prompts, resources};

/// A request for a method.
pub(crate) struct MethodCall {
    pub(crate) method: String,
    pub(crate) params: Json,
    /// Whether the request belongs to a session that `initialize` opened.
    pub(crate) in_session: bool,
}

/// The result of starting a request.
pub(crate) enum Step {
    Done(Json),
    Work(WorkPool, Job),
    /// Opens the session; the client requested this version.
    Initialize(String),
    SetLevel(LogLevel),
    Listen(SubscriptionFilter),
}

pub(crate) type Job = Box<dyn FnOnce(&SharedState) -> Result<Json, ErrorData> + Send>;

pub(crate) struct Method {
    name: &'static str,
    pub(crate) shape: ResultShape,
    pub(crate) start: fn(&SharedState, MethodCall) -> Result<Step, ErrorData>,
}

const fn method(
    name: &'static str,
    shape: ResultShape,
    start: fn(&SharedState, MethodCall) -> Result<Step, ErrorData>,
) -> Method {
    Method { name, shape, start }
}

static METHODS: [Method; 13] = [
    method(name::CALL_TOOL, ResultShape::Complete, call_tool),
    method(name::COMPLETE, ResultShape::Complete, start_completion),
    method(name::DISCOVER, ResultShape::Plain, discover),
    method(name::GET_PROMPT, ResultShape::Complete, get_prompt),
    method(name::INITIALIZE, ResultShape::Plain, initialize),
    method(name::LISTEN, ResultShape::Plain, listen),
    method(name::LIST_PROMPTS, ResultShape::Cacheable, list_prompts),
    method(name::LIST_RESOURCES, ResultShape::Cacheable, list_resources),
    method(name::LIST_TEMPLATES, ResultShape::Cacheable, list_templates),
    method(name::LIST_TOOLS, ResultShape::Cacheable, list_tools),
    method(name::PING, ResultShape::Plain, ping),
    method(name::READ_RESOURCE, ResultShape::Cacheable, read_resource),
    method(name::SET_LEVEL, ResultShape::Plain, set_level),
];

pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

impl MethodCall {
    fn read<T: DeserializeOwned>(self) -> Result<T, ErrorData> {
        serde_json::from_value(self.params).map_err(|_| cannot_answer(&self.method))
    }

    /// The cursor of a list, whose parameters are optional.
    fn cursor(self) -> Result<Option<String>, ErrorData> {
        let params = self.read::<Option<ListParams>>()?;
        Ok(params.and_then(|params| params.cursor))
    }
}

fn quick(
    job: impl FnOnce(&SharedState) -> Result<Json, ErrorData> + Send + 'static,
) -> Result<Step, ErrorData> {
    Ok(Step::Work(WorkPool::Quick, Box::new(job)))
}

fn initialize(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let params: InitializeParams = serde_json::from_value(call.params).map_err(|_| {
        PARAMETERS.with_help(
            "invalid parameters of `initialize`",
            "it needs `protocolVersion`, `capabilities` and `clientInfo`",
        )
    })?;
    Ok(Step::Initialize(params.protocol_version))
}

fn discover(_: &SharedState, _: MethodCall) -> Result<Step, ErrorData> {
    Ok(Step::Done(discover_result()))
}

fn ping(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    // Without sessions, a client learns from any answer that the server is alive.
    if call.in_session {
        Ok(Step::Done(json!({})))
    } else {
        Err(unknown_method(&call.method))
    }
}

fn set_level(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let params: SetLevelParams = call.read()?;
    Ok(Step::SetLevel(params.level))
}

fn listen(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let (method, in_session) = (call.method.clone(), call.in_session);
    let params: ListenParams = call.read()?;
    if in_session {
        // Sessions get notifications without subscribing.
        return Err(unknown_method(&method));
    }
    Ok(Step::Listen(params.notifications.accepted()))
}

fn list_tools(shared: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let all = [tool::tool(shared.writes)];
    let cursor = call.cursor()?;
    list_page("tools", &all, cursor, |tool| Cow::from(tool.name)).map(Step::Done)
}

fn call_tool(shared: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let params: NamedParams = call.read()?;
    if params.name != tool::NAME {
        let message = format!("unknown tool `{}`", params.name);
        return Err(UNKNOWN_TOOL.with_help(message, "the tool is named `agpm`"));
    }
    let arguments = params.arguments.unwrap_or_default();
    let operation = ToolOperation::read(&arguments, shared.writes)?;
    let pool = operation.pool();
    let job = move |shared: &SharedState| tool::run(shared, &operation).map(|result| json!(result));
    Ok(Step::Work(pool, Box::new(job)))
}

fn list_resources(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let cursor = call.cursor()?;
    quick(|shared| {
        let all = resources::all(shared);
        list_page("resources", &all, cursor, |one| Cow::from(&*one.uri))
    })
}

fn list_templates(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let cursor = call.cursor()?;
    let all = resources::templates();
    let request = PageRequest {
        list: "templates",
        cursor: cursor.as_deref(),
        size: PAGE,
    };
    let page = page(all, request, |template| Cow::from(template.uri_template))?;
    let result = list_result("resourceTemplates", page.items, page.next);
    Ok(Step::Done(result))
}

fn read_resource(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let ReadResourceParams { uri } = call.read()?;
    let parsed = ResourceUri::parse(&uri)?;
    quick(move |shared| {
        let content = resources::content_of(shared, &parsed).map_err(OperationFailure::error)?;
        Ok(json!({ "contents": [content.into_resource(uri)] }))
    })
}

fn list_prompts(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let cursor = call.cursor()?;
    quick(|shared| {
        let all = prompts::all(shared).map_err(OperationFailure::error)?;
        list_page("prompts", &all, cursor, |prompt| Cow::from(&*prompt.name))
    })
}

fn get_prompt(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let params: NamedParams = call.read()?;
    quick(move |shared| {
        let result = prompts::get(shared, &params.name, params.arguments.as_ref())?;
        Ok(json!(result))
    })
}

fn start_completion(_: &SharedState, call: MethodCall) -> Result<Step, ErrorData> {
    let params: CompleteParams = call.read()?;
    quick(move |shared| Ok(json!({ "completion": complete(shared, &params)? })))
}

/// A page of a list whose items are under its own name.
fn list_page<T: Serialize>(
    list: &str,
    items: &[T],
    cursor: Option<String>,
    key: impl Fn(&T) -> Cow<'_, str>,
) -> Result<Json, ErrorData> {
    let request = PageRequest {
        list,
        cursor: cursor.as_deref(),
        size: PAGE,
    };
    let page = page(items, request, key)?;
    Ok(list_result(list, page.items, page.next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_method() {
        assert_eq!(METHODS.each_ref().map(|method| method.name), name::METHODS);
    }
}
