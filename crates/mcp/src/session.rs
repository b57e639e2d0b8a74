//! A session with one client: how it was opened, its requests under way, and its notifications.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::{Value as Json, json};

use crate::list_changes::{ListChanges, Subscriber};
use crate::methods::{Job, MethodCall, Step, find};
use crate::protocol::error::{
    BUSY, ErrorData, INTERNAL, NOT_INITIALIZED, PARAMETERS, UNKNOWN_RESOURCE,
};
use crate::protocol::log::LogLevel;
use crate::protocol::message::{Notification, OutgoingMessage, Request, RequestId};
use crate::protocol::method::{DISCOVER, INITIALIZE, PING, cannot_answer};
use crate::protocol::params::{CancelledParams, SubscriptionFilter};
use crate::protocol::results::{ResultShape, initialize_result, listen_result};
use crate::protocol::version::{SUBSCRIPTION_ID_KEY, is_stateless, negotiate};
use crate::shared::SharedState;
use crate::watch::start_watching;

/// Subscriptions that may be open at once. Each is a request that is not answered until it ends.
const MOST_SUBSCRIPTIONS: usize = 16;
const LOGGER: &str = "agpm";

/// Takes messages for a client. Sending never blocks.
pub(crate) trait MessageSink: Send + Sync {
    fn send(&self, message: OutgoingMessage);

    /// Waits until the client has read enough of what was sent before.
    fn wait_for_capacity(&self) {}
}

/// The sink of sessions that are never notified.
struct NoMessages;

impl MessageSink for NoMessages {
    fn send(&self, _message: OutgoingMessage) {}
}

/// A request has the id of one that is under way.
#[derive(Debug)]
pub(crate) struct DuplicateRequest(pub(crate) RequestId);

pub(crate) struct Session {
    shared: Arc<SharedState>,
    /// For messages that belong to no request.
    messages: Box<dyn MessageSink>,
    state: Mutex<SessionState>,
}

struct SessionState {
    lifecycle: Lifecycle,
    level: LogLevel,
    /// Whether the client is ready for notifications.
    notified: bool,
    requests: HashMap<RequestId, PendingRequest>,
    /// The number of the next request.
    next: u64,
}

/// The way in which the client states the version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifecycle {
    /// Unknown until the first request.
    Unopened,
    /// By `initialize`; this version was the result.
    Negotiated(&'static str),
    /// In the metadata of every request.
    PerRequest,
    /// The session exists for one request.
    SingleRequest,
}

/// The conventions that a request follows.
#[derive(Clone, Copy)]
struct RequestEra {
    /// Whether the version was negotiated by `initialize`.
    in_session: bool,
    /// Whether results have the fields of the newest version.
    newest: bool,
}

/// One request. Its number distinguishes it from an earlier one with the same id that was cancelled.
#[derive(Clone, Debug)]
struct RequestKey {
    id: RequestId,
    number: u64,
}

/// A request without an answer. Dropping it frees its share of the limits of its transport.
struct PendingRequest {
    number: u64,
    replies: Box<dyn MessageSink>,
    era: RequestEra,
    shape: ResultShape,
    subscription: Option<SubscriptionFilter>,
}

impl Session {
    /// A session that the client has yet to open.
    pub(crate) fn new(shared: Arc<SharedState>, messages: Box<dyn MessageSink>) -> Arc<Self> {
        Session::starting_as(Lifecycle::Unopened, shared, messages)
    }

    /// A session for one request that states its version.
    pub(crate) fn of_request(shared: Arc<SharedState>) -> Arc<Self> {
        Session::starting_as(Lifecycle::SingleRequest, shared, Box::new(NoMessages))
    }

    fn starting_as(
        lifecycle: Lifecycle,
        shared: Arc<SharedState>,
        messages: Box<dyn MessageSink>,
    ) -> Arc<Self> {
        let state = SessionState {
            lifecycle,
            level: LogLevel::Warning,
            notified: false,
            requests: HashMap::new(),
            next: 0,
        };
        Arc::new(Session {
            shared,
            messages,
            state: Mutex::new(state),
        })
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a request. Its answer goes to `replies`, now or later.
    pub(crate) fn request(
        self: &Arc<Self>,
        request: Request,
        replies: Box<dyn MessageSink>,
    ) -> Result<(), DuplicateRequest> {
        let id = request.id.clone();
        let method = find(&request.method);
        let (key, era) = {
            let mut state = self.state();
            // Answers are matched by id. Two requests with one id could not be distinguished, nor cancelled.
            if state.requests.contains_key(&id) {
                return Err(DuplicateRequest(id));
            }
            let era = state.lifecycle.era_of(&request);
            let number = state.next;
            state.next += 1;
            let pending = PendingRequest {
                number,
                replies,
                era: *era.as_ref().unwrap_or(&RequestEra::IN_SESSION),
                shape: method.map_or(ResultShape::Plain, |method| method.shape),
                subscription: None,
            };
            state.requests.insert(id.clone(), pending);
            (RequestKey { id, number }, era)
        };
        let step = era.and_then(|era| {
            let method = method.ok_or_else(|| cannot_answer(&request.method))?;
            let call = MethodCall {
                in_session: era.in_session,
                method: request.method,
                params: request.params,
            };
            (method.start)(&self.shared, call)
        });
        match step {
            Ok(Step::Done(result)) => self.answer(&key, Ok(result)),
            Ok(Step::Initialize(requested)) => {
                let version = self.initialize(&requested);
                self.answer(&key, Ok(initialize_result(version)));
            }
            Ok(Step::SetLevel(level)) => {
                self.state().level = level;
                self.answer(&key, Ok(json!({})));
            }
            Ok(Step::Listen(filter)) => self.listen(&key, filter),
            Ok(Step::Work(pool, job)) => {
                let session = Arc::clone(self);
                let work = Box::new(move || session.work(&key, job));
                self.shared.workers(pool).submit(work);
            }
            Err(error) => self.answer(&key, Err(error)),
        }
        Ok(())
    }

    /// Does the work of a request, on a thread for such work.
    fn work(&self, key: &RequestKey, job: Job) {
        self.messages.wait_for_capacity();
        if !self.state().has(key) {
            return;
        }
        // A bug in one operation must not end the server, nor leave the client without an answer.
        let done = catch_unwind(AssertUnwindSafe(|| job(&self.shared)));
        let failed = |_| Err(INTERNAL.error("the operation failed; this is a bug in agpm"));
        self.answer(key, done.unwrap_or_else(failed));
    }

    /// Answers a request, unless it was cancelled.
    fn answer(&self, key: &RequestKey, outcome: Result<Json, ErrorData>) {
        let pending = self.state().take(key);
        if let Some(pending) = pending {
            pending.replies.send(pending.message(&key.id, outcome));
        }
    }

    /// Opens the session with the version that both sides know.
    fn initialize(&self, requested: &str) -> &'static str {
        let version = negotiate(requested);
        let mut state = self.state();
        if state.lifecycle != Lifecycle::PerRequest {
            state.lifecycle = Lifecycle::Negotiated(version);
        }
        version
    }

    pub(crate) fn notification(self: &Arc<Self>, notification: &Notification) {
        if self.state().lifecycle == Lifecycle::Unopened {
            return;
        }
        match notification.method.as_str() {
            "notifications/initialized" => {
                self.state().notified = true;
                self.subscribe();
            }
            "notifications/cancelled" => {
                let cancelled = serde_json::from_value(notification.params.clone());
                if let Ok(CancelledParams { request_id }) = cancelled {
                    // The request is dropped after the lock is released.
                    let _cancelled = self.state().requests.remove(&request_id);
                }
            }
            _ => {}
        }
    }

    fn listen(self: &Arc<Self>, key: &RequestKey, filter: SubscriptionFilter) {
        let mut state = self.state();
        let open = state.subscriptions().count();
        if open >= MOST_SUBSCRIPTIONS {
            drop(state);
            let message =
                format!("too many subscriptions: at most {MOST_SUBSCRIPTIONS} are allowed");
            return self.answer(key, Err(BUSY.error(message)));
        }
        if let Some(pending) = state.requests.get_mut(&key.id) {
            let params = json!({
                "notifications": filter,
                "_meta": { SUBSCRIPTION_ID_KEY: key.id },
            });
            let method = "notifications/subscriptions/acknowledged";
            pending
                .replies
                .send(OutgoingMessage::notification(method, Some(params)));
            pending.subscription = Some(filter);
        }
        drop(state);
        self.subscribe();
    }

    /// Notifies this session of changes from now on.
    fn subscribe(self: &Arc<Self>) {
        let session: Weak<Session> = Arc::downgrade(self);
        self.shared.subscribe(session);
        start_watching(&self.shared);
    }

    /// Ends all subscriptions, each with its result.
    pub(crate) fn end_subscriptions(&self) {
        let mut keys: Vec<RequestKey> = self
            .state()
            .subscriptions()
            .map(|subscription| RequestKey {
                id: subscription.id.clone(),
                number: subscription.number,
            })
            .collect();
        keys.sort_by_key(|key| key.number);
        for key in keys {
            self.answer(&key, Ok(listen_result(&key.id)));
        }
    }

    /// Drops all requests, so nobody waits for their answers any more.
    pub(crate) fn close(&self) {
        let dropped = std::mem::take(&mut self.state().requests);
        drop(dropped);
    }

    pub(crate) fn has_requests(&self) -> bool {
        !self.state().requests.is_empty()
    }
}

impl Subscriber for Session {
    /// Notifies the client, and those of its subscriptions that are for these lists.
    fn notify_changes(&self, changes: ListChanges) {
        let state = self.state();
        for list in changes.lists() {
            if state.notified {
                self.messages
                    .send(OutgoingMessage::notification(list.method(), None));
            }
            for subscription in state.subscriptions() {
                if subscription.filter.includes(list) {
                    let params = json!({ "_meta": { SUBSCRIPTION_ID_KEY: subscription.id } });
                    let message = OutgoingMessage::notification(list.method(), Some(params));
                    subscription.replies.send(message);
                }
            }
        }
    }

    /// Sends a log message, if the client wants messages of this level.
    fn log(&self, level: LogLevel, data: &Json) {
        let state = self.state();
        if state.notified && level >= state.level {
            let params = json!({ "level": level, "logger": LOGGER, "data": data });
            let message = OutgoingMessage::notification("notifications/message", Some(params));
            self.messages.send(message);
        }
    }
}

/// A request that is a subscription.
struct Subscription<'a> {
    id: &'a RequestId,
    number: u64,
    filter: &'a SubscriptionFilter,
    replies: &'a dyn MessageSink,
}

impl SessionState {
    fn has(&self, key: &RequestKey) -> bool {
        let pending = self.requests.get(&key.id);
        pending.is_some_and(|pending| pending.number == key.number)
    }

    fn take(&mut self, key: &RequestKey) -> Option<PendingRequest> {
        if self.has(key) {
            self.requests.remove(&key.id)
        } else {
            None
        }
    }

    fn subscriptions(&self) -> impl Iterator<Item = Subscription<'_>> {
        self.requests.iter().filter_map(|(id, pending)| {
            Some(Subscription {
                id,
                number: pending.number,
                filter: pending.subscription.as_ref()?,
                replies: pending.replies.as_ref(),
            })
        })
    }
}

impl PendingRequest {
    /// The answer, as clients of this version expect it.
    fn message(&self, id: &RequestId, outcome: Result<Json, ErrorData>) -> OutgoingMessage {
        match outcome {
            Ok(result) if self.era.newest => {
                OutgoingMessage::result(id, &self.shape.extended(result))
            }
            Ok(result) => OutgoingMessage::result(id, &result),
            Err(mut error) => {
                // The newest version has no number for unknown resources.
                if self.era.newest && error.number == UNKNOWN_RESOURCE.number {
                    error.number = PARAMETERS.number;
                }
                OutgoingMessage::error(id, &error)
            }
        }
    }
}

impl RequestEra {
    const IN_SESSION: RequestEra = RequestEra {
        in_session: true,
        newest: false,
    };
}

impl Lifecycle {
    /// The era of a request, or the reason why it cannot be answered in this state. The first request that states
    /// its version opens the session.
    fn era_of(&mut self, request: &Request) -> Result<RequestEra, ErrorData> {
        let meta = &request.meta;
        let method = request.method.as_str();
        if method == INITIALIZE || (*self == Lifecycle::Unopened && method == PING) {
            return Ok(RequestEra::IN_SESSION);
        }
        if *self == Lifecycle::Unopened {
            if meta.version.is_none() {
                let message = format!("`{method}` came before `initialize`");
                return Err(NOT_INITIALIZED.with_help(message, "start with `initialize`"));
            }
            meta.require_complete()?;
            meta.require_supported_version()?;
            // Clients discover the supported versions before they decide how to go on.
            if method != DISCOVER {
                *self = Lifecycle::PerRequest;
            }
        }
        meta.require_supported_version()?;
        let newest = match (&meta.version, *self) {
            (Some(version), _) => is_stateless(version),
            (None, Lifecycle::Negotiated(version)) => is_stateless(version),
            (None, _) => false,
        };
        let states_version = newest || *self == Lifecycle::PerRequest || method == DISCOVER;
        if states_version {
            meta.require_complete()?;
        }
        Ok(RequestEra {
            in_session: !states_version,
            newest,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use agpm_app::catalog::CatalogSelection;
    use agpm_app::project::world::{
        Environment, InstallScope, NetworkAccess, OutsideReads, PolicyLocations, ProgramUse,
        SilentProgress, World,
    };

    use super::*;
    use crate::options::WriteAccess;
    use crate::protocol::message::{IncomingMessage, ParsedMessage, parse_message};

    struct Sent(Sender<Json>);

    impl MessageSink for Sent {
        fn send(&self, message: OutgoingMessage) {
            let message = serde_json::from_str(&message.json).unwrap();
            self.0.send(message).unwrap_or_default();
        }
    }

    fn session() -> Arc<Session> {
        let environment = Environment {
            approvals: Vec::new(),
            bases: agpm_app::project::world::BaseApproval::default(),
            typed: agpm_diag::TypedCommand::default(),
            scope: InstallScope::Project,
            working_directory: "/nowhere".into(),
            manifest: None,
            config: None,
            config_directory: None,
            cache: None,
            home: None,
            network: NetworkAccess::Offline,
            state: None,
            programs: ProgramUse::Never,
            outside: OutsideReads::Refused,
            policies: PolicyLocations::default(),
            executables: Vec::new(),
        };
        let world = World::of_machine(environment, Arc::new(SilentProgress));
        let shared = SharedState::new(world, WriteAccess::Refused, CatalogSelection::default());
        Session::of_request(shared)
    }

    /// A request of a session that nobody answers by itself.
    fn pending(session: &Arc<Session>, id: i64) -> Receiver<Json> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "subscriptions/listen",
            "params": { "notifications": {}, "_meta": meta },
        });
        let parsed = parse_message(message.to_string().as_bytes());
        let ParsedMessage::Message(IncomingMessage::Request(request)) = parsed else {
            panic!("{parsed:?}");
        };
        let (sender, receiver) = channel();
        session.request(request, Box::new(Sent(sender))).unwrap();
        let acknowledged = receiver.recv().unwrap();
        assert_eq!(
            acknowledged["method"],
            "notifications/subscriptions/acknowledged"
        );
        receiver
    }

    /// The request with the id 1 that was the first, second, … of its session.
    fn key(number: u64) -> RequestKey {
        let id = RequestId::Number(1);
        RequestKey { id, number }
    }

    #[test]
    fn a_panic_is_answered_with_an_internal_error() {
        let session = session();
        let answers = pending(&session, 1);
        session.work(&key(0), Box::new(|_| panic!("a bug")));
        let answer = answers.recv().unwrap();
        assert_eq!(answer["id"], 1);
        assert_eq!(answer["error"]["data"]["code"], "mcp/internal");
    }

    #[test]
    fn work_for_a_cancelled_request_is_not_done() {
        let session = session();
        let answers = pending(&session, 1);
        session.notification(&Notification {
            method: "notifications/cancelled".to_owned(),
            params: json!({ "requestId": 1 }),
        });
        session.work(&key(0), Box::new(|_| panic!("done")));
        assert!(answers.recv().is_err());
    }

    #[test]
    fn an_id_may_be_used_again_while_work_for_a_cancelled_request_goes_on() {
        let session = session();
        let _cancelled = pending(&session, 1);
        session.notification(&Notification {
            method: "notifications/cancelled".to_owned(),
            params: json!({ "requestId": 1 }),
        });
        let answers = pending(&session, 1);
        session.answer(&key(0), Ok(json!("late")));
        assert!(answers.try_recv().is_err());
        session.answer(&key(1), Ok(json!("own")));
        assert_eq!(answers.recv().unwrap()["result"], "own");
    }
}
