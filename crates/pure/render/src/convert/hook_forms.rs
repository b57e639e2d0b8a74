//! How each tool writes its hooks, as a table.

use super::events::Hooked;

/// How a tool writes a hook within the list of its event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Groups with a matcher and a list of hooks, like Claude Code's.
    Groups,
    /// Each hook with its own matcher.
    Flat,
}

/// What becomes of a key's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Keep,
    /// From seconds to milliseconds.
    Thousandfold,
    /// The usual type need not be said.
    Unusual,
}

/// A tool's own form of hooks.
pub(super) struct HookForm {
    pub(super) tool: Hooked,
    pub(super) shape: Shape,
    /// Claude Code's keys, the tool's own, and what becomes of the value; in the order of the tool's.
    pub(super) keys: &'static [(&'static str, &'static str, Change)],
    pub(super) types: &'static [&'static str],
    /// Whether a hook is told the project's folder as Claude Code does it.
    pub(super) folder: Folder,
    /// Why a matcher may not hold a hook back everywhere; empty if it does.
    pub(super) caveat: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Folder {
    Told,
    Untold,
}

/// Source: Codex "Hooks" (config shape).
pub(super) const CODEX: HookForm = HookForm {
    tool: Hooked::Codex,
    shape: Shape::Groups,
    keys: &[
        ("type", "type", Change::Keep),
        ("command", "command", Change::Keep),
        ("timeout", "timeout", Change::Keep),
        ("statusMessage", "statusMessage", Change::Keep),
        ("commandWindows", "commandWindows", Change::Keep),
    ],
    types: &["command"],
    folder: Folder::Untold,
    caveat: "",
};

/// Source: Cursor "Hooks" (per-script configuration).
pub(super) const CURSOR: HookForm = HookForm {
    tool: Hooked::Cursor,
    shape: Shape::Flat,
    keys: &[
        ("command", "command", Change::Keep),
        ("type", "type", Change::Unusual),
        ("prompt", "prompt", Change::Keep),
        ("timeout", "timeout", Change::Keep),
        ("failClosed", "failClosed", Change::Keep),
        ("loop_limit", "loop_limit", Change::Keep),
    ],
    types: &["command", "prompt"],
    folder: Folder::Told,
    caveat: "",
};

/// Source: Gemini CLI "Hooks reference" (configuration schema).
pub(super) const GEMINI: HookForm = HookForm {
    tool: Hooked::Gemini,
    shape: Shape::Groups,
    keys: &[
        ("type", "type", Change::Keep),
        ("command", "command", Change::Keep),
        ("timeout", "timeout", Change::Thousandfold),
        ("name", "name", Change::Keep),
        ("description", "description", Change::Keep),
    ],
    types: &["command"],
    folder: Folder::Told,
    caveat: "",
};

/// Source: GitHub Copilot "Hooks reference" (command hooks).
pub(super) const COPILOT: HookForm = HookForm {
    tool: Hooked::Copilot,
    shape: Shape::Flat,
    keys: &[
        ("type", "type", Change::Keep),
        ("command", "bash", Change::Keep),
        ("powershell", "powershell", Change::Keep),
        ("cwd", "cwd", Change::Keep),
        ("env", "env", Change::Keep),
        ("timeout", "timeoutSec", Change::Keep),
    ],
    types: &["command"],
    folder: Folder::Untold,
    // VS Code "Agent hooks", frequently asked questions.
    caveat: "VS Code does not look at it, and runs the hook each time",
};
