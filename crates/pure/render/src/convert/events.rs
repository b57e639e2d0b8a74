//! Events of hooks: Claude Code's and everybody else's, and what a matcher can say there.

use super::tool_names::Dialect;

/// What becomes of a matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// It is read as Claude Code reads it.
    Same,
    /// Likewise, but only by newer versions; others run the hook each time.
    Lately,
    /// It names tools, which have other names there.
    Tools(Dialect),
    /// It is one of these words, and nothing else.
    OneOf(&'static [&'static str]),
    /// Claude Code does not look at it either.
    Ignored,
    /// There is none.
    Missing,
}

/// A tool that has hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hooked {
    Codex,
    Cursor,
    Gemini,
    Copilot,
}

/// An event there, and what a matcher can say.
type There = Option<(&'static str, Matching)>;

/// An event of Claude Code's and what it is elsewhere.
struct Event {
    name: &'static str,
    codex: There,
    cursor: There,
    gemini: There,
    copilot: There,
}

const CODEX: Matching = Matching::Tools(Dialect::CodexHook);
const CURSOR: Matching = Matching::Tools(Dialect::CursorHook);
const GEMINI: Matching = Matching::Tools(Dialect::Gemini);
const COPILOT: Matching = Matching::Tools(Dialect::CopilotHook);

/// Sources: Codex "Hooks"; Cursor "Hooks" and "Third Party Hooks"; Gemini CLI "Hooks reference"; GitHub Copilot
/// "Hooks reference". Copilot's names with a capital are those whose input is that of Claude Code's hooks.
const EVENTS: &[Event] = &[
    Event {
        name: "SessionStart",
        codex: Some(("SessionStart", Matching::Same)),
        cursor: Some(("sessionStart", Matching::Missing)),
        gemini: Some((
            "SessionStart",
            Matching::OneOf(&["startup", "resume", "clear"]),
        )),
        copilot: Some(("SessionStart", Matching::Missing)),
    },
    Event {
        name: "SessionEnd",
        codex: Some(("SessionEnd", Matching::Lately)),
        cursor: Some(("sessionEnd", Matching::Missing)),
        gemini: Some((
            "SessionEnd",
            Matching::OneOf(&["clear", "logout", "prompt_input_exit", "other"]),
        )),
        copilot: Some(("SessionEnd", Matching::Missing)),
    },
    Event {
        name: "UserPromptSubmit",
        codex: Some(("UserPromptSubmit", Matching::Ignored)),
        cursor: Some(("beforeSubmitPrompt", Matching::Ignored)),
        gemini: Some(("BeforeAgent", Matching::Ignored)),
        copilot: Some(("UserPromptSubmit", Matching::Ignored)),
    },
    Event {
        name: "PreToolUse",
        codex: Some(("PreToolUse", CODEX)),
        cursor: Some(("preToolUse", CURSOR)),
        gemini: Some(("BeforeTool", GEMINI)),
        copilot: Some(("PreToolUse", Matching::Same)),
    },
    Event {
        name: "PostToolUse",
        codex: Some(("PostToolUse", CODEX)),
        cursor: Some(("postToolUse", CURSOR)),
        gemini: Some(("AfterTool", GEMINI)),
        copilot: Some(("PostToolUse", COPILOT)),
    },
    Event {
        name: "PostToolUseFailure",
        codex: None,
        cursor: Some(("postToolUseFailure", CURSOR)),
        gemini: None,
        copilot: Some(("PostToolUseFailure", Matching::Missing)),
    },
    Event {
        name: "PermissionRequest",
        codex: Some(("PermissionRequest", CODEX)),
        cursor: None,
        gemini: None,
        copilot: Some(("PermissionRequest", Matching::Same)),
    },
    Event {
        name: "PreCompact",
        codex: Some(("PreCompact", Matching::Lately)),
        cursor: Some(("preCompact", Matching::Missing)),
        gemini: Some(("PreCompress", Matching::OneOf(&["manual", "auto"]))),
        copilot: Some(("PreCompact", Matching::OneOf(&["manual", "auto"]))),
    },
    Event {
        name: "PostCompact",
        codex: Some(("PostCompact", Matching::Lately)),
        cursor: None,
        gemini: None,
        copilot: None,
    },
    Event {
        name: "SubagentStart",
        codex: Some(("SubagentStart", Matching::Lately)),
        cursor: Some(("subagentStart", Matching::Lately)),
        gemini: None,
        copilot: Some(("subagentStart", Matching::Same)),
    },
    Event {
        name: "SubagentStop",
        codex: Some(("SubagentStop", Matching::Lately)),
        cursor: Some(("subagentStop", Matching::Lately)),
        gemini: None,
        copilot: Some(("SubagentStop", Matching::Missing)),
    },
    Event {
        name: "Stop",
        codex: Some(("Stop", Matching::Ignored)),
        cursor: Some(("stop", Matching::Ignored)),
        gemini: Some(("AfterAgent", Matching::Ignored)),
        copilot: Some(("Stop", Matching::Ignored)),
    },
    Event {
        name: "Notification",
        codex: None,
        cursor: None,
        gemini: Some(("Notification", Matching::Missing)),
        copilot: Some((
            "notification",
            Matching::OneOf(&["permission_prompt", "elicitation_dialog"]),
        )),
    },
];

/// Events that only these tools have.
const OWN: &[(Hooked, &[&str])] = &[
    (
        Hooked::Cursor,
        &[
            "beforeShellExecution",
            "afterShellExecution",
            "beforeMCPExecution",
            "afterMCPExecution",
            "beforeReadFile",
            "afterFileEdit",
            "afterAgentResponse",
            "afterAgentThought",
            "beforeTabFileRead",
            "afterTabFileEdit",
            "workspaceOpen",
        ],
    ),
    (
        Hooked::Gemini,
        &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    ),
    (
        Hooked::Copilot,
        &[
            "sessionStart",
            "sessionEnd",
            "userPromptSubmitted",
            "userPromptTransformed",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "permissionRequest",
            "preCompact",
            "subagentStop",
            "agentStop",
            "errorOccurred",
            "ErrorOccurred",
        ],
    ),
];

impl Event {
    fn there(&self, tool: Hooked) -> There {
        match tool {
            Hooked::Codex => self.codex,
            Hooked::Cursor => self.cursor,
            Hooked::Gemini => self.gemini,
            Hooked::Copilot => self.copilot,
        }
    }
}

/// What an event of Claude Code's is there, if it is anything.
pub(super) fn there(event: &str, tool: Hooked) -> There {
    EVENTS
        .iter()
        .find(|known| known.name == event)
        .and_then(|known| known.there(tool))
}

/// Whether an event is the tool's own and none of Claude Code's.
pub(super) fn is_own(event: &str, tool: Hooked) -> bool {
    let claude = EVENTS.iter().any(|known| known.name == event);
    let there = EVENTS
        .iter()
        .filter_map(|known| known.there(tool))
        .any(|(name, _)| name == event);
    let own = OWN
        .iter()
        .any(|(owner, events)| *owner == tool && events.contains(&event));
    !claude && (there || own)
}

/// Copilot's own spellings of events that it also knows by Claude Code's names.
const COPILOT_SPELLINGS: &[(&str, &str)] = &[
    ("sessionStart", "SessionStart"),
    ("sessionEnd", "SessionEnd"),
    ("userPromptSubmitted", "UserPromptSubmit"),
    ("preToolUse", "PreToolUse"),
    ("postToolUse", "PostToolUse"),
    ("postToolUseFailure", "PostToolUseFailure"),
    ("permissionRequest", "PermissionRequest"),
    ("preCompact", "PreCompact"),
    ("subagentStop", "SubagentStop"),
    ("agentStop", "Stop"),
];

/// Claude Code's event for one of another tool, if there is one.
pub(super) fn claude_event(event: &str, tool: Hooked) -> Option<&'static str> {
    let spelled = COPILOT_SPELLINGS
        .iter()
        .filter(|_| tool == Hooked::Copilot)
        .find(|(own, _)| *own == event);
    let same = |known: &&Event| known.name == event;
    let there = |known: &&Event| known.there(tool).is_some_and(|(name, _)| name == event);
    let found = EVENTS
        .iter()
        .find(there)
        .or_else(|| EVENTS.iter().find(same))
        .map(|known| known.name);
    spelled.map(|(_, claude)| *claude).or(found)
}
