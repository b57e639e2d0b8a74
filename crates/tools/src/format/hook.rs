//! Formats of hooks.

use crate::tool_names::ToolNames;

/// The format of a tool's hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookFormat {
    /// The tool, for messages.
    pub title: &'static str,
    /// The items of an event's list.
    pub shape: HookShape,
    /// The `version` of the file, if it has one.
    pub version: Option<usize>,
    /// Events of the reference that the tool has.
    pub events: &'static [HookEvent],
    /// Events that only this tool has.
    pub own_events: &'static [&'static str],
    /// Other names that the tool has for events of the reference, with the reference's.
    pub spellings: &'static [(&'static str, &'static str)],
    /// Keys of a hook, in the order of the tool.
    pub keys: &'static [HookKey],
    /// Keys of a hook that only this tool has.
    pub own_keys: &'static [&'static str],
    /// Keys of a group besides its matcher and hooks.
    pub group_keys: &'static [&'static str],
    /// Types of hooks that run there.
    pub types: &'static [&'static str],
    /// The tool names in matchers.
    pub tool_names: &'static ToolNames,
    /// The syntax of matchers.
    pub matchers: MatcherSyntax,
    /// The reason why a matcher may not apply everywhere; empty if it does.
    pub caveat: &'static str,
    /// Whether hooks see the variables that the reference tool sets.
    pub reference_variables: ReferenceVariables,
}

impl HookFormat {
    /// A format without events or keys, and with what most tools have in common.
    pub(crate) const fn new(
        title: &'static str,
        shape: HookShape,
        tool_names: &'static ToolNames,
    ) -> Self {
        HookFormat {
            title,
            shape,
            version: None,
            events: &[],
            own_events: &[],
            spellings: &[],
            keys: &[],
            own_keys: &[],
            group_keys: &[],
            types: &["command"],
            tool_names,
            matchers: MatcherSyntax::Joined,
            caveat: "",
            reference_variables: ReferenceVariables::Set,
        }
    }
}

/// The named formats of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShape {
    /// Groups with a matcher and a list of hooks, as authors write them.
    Reference,
    /// Groups too, with the tool's own events and keys.
    Groups,
    /// The same under their own name instead of `hooks`; events without matchers list their hooks directly.
    Named,
    /// Each hook with its own matcher.
    Flat,
}

/// An event that the reference tool has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Its name in the reference tool.
    pub reference: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// The treatment of a matcher.
    pub matcher: MatcherRule,
}

impl HookEvent {
    pub(crate) const fn new(
        reference: &'static str,
        name: &'static str,
        matcher: MatcherRule,
    ) -> Self {
        HookEvent {
            reference,
            name,
            matcher,
        }
    }

    /// An event of the same name.
    pub(crate) const fn same(name: &'static str, matcher: MatcherRule) -> Self {
        HookEvent::new(name, name, matcher)
    }
}

/// The treatment of the matcher of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatcherRule {
    /// It is read as the reference tool reads it.
    Same,
    /// Likewise, but only by newer versions; others run the hook each time.
    NewerVersions,
    /// It names tools, which have other names there.
    Tools,
    /// It is one of these words, and nothing else.
    OneOf(&'static [&'static str]),
    /// The reference tool ignores it, too.
    Ignored,
    /// The event has no matcher.
    Missing,
}

/// The notation of a matcher for several tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatcherSyntax {
    /// Names with `|` between them.
    Joined,
    /// A regular expression for whole names: without anchors it would match names that contain one of them.
    Anchored,
    /// The tool knows the reference's names and expressions as well as its own.
    Reference,
}

/// A key of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookKey {
    /// Its name in the reference tool.
    pub reference: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// The change of the value.
    pub change: KeyChange,
}

impl HookKey {
    /// The keys that every hook with a command has.
    pub(crate) const COMMAND: &'static [HookKey] = &[
        HookKey::same("type"),
        HookKey::same("command"),
        HookKey::same("timeout"),
    ];

    pub(crate) const fn new(
        reference: &'static str,
        name: &'static str,
        change: KeyChange,
    ) -> Self {
        HookKey {
            reference,
            name,
            change,
        }
    }

    /// A key that means the same there.
    pub(crate) const fn same(name: &'static str) -> Self {
        HookKey::new(name, name, KeyChange::Keep)
    }
}

/// The change of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// The value stays.
    Keep,
    /// From seconds to milliseconds.
    Milliseconds,
    /// It is left out where it is `command`, which is the default.
    OmitCommand,
}

/// Whether hooks see the variables that the reference tool sets, such as the project's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceVariables {
    /// The tool sets the variables.
    Set,
    /// The tool does not set the variables.
    Unset,
}
