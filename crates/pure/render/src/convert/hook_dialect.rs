//! Hook files of other tools, turned into Claude Code's form.

use agpm_text::{Shape, Value, View};

use super::events::{self, Hooked};
use super::hook_file::Registered;
use super::parts::{entries, is_map, items};
use super::tool_names::{Dialect, claude_names};
use super::{ConvertError, FateKind, Fates};

/// Whose form a hook file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookDialect {
    /// Claude Code's, which Codex shares.
    Claude,
    Copilot,
    Cursor,
    Gemini,
}

/// Keys of a hook that only Copilot has.
const COPILOT_KEYS: [&str; 3] = ["bash", "powershell", "timeoutSec"];

impl HookDialect {
    /// Recognizes a file by the shape of its lists, then by events and keys that only one tool has.
    pub(super) fn of(registered: &[Registered]) -> Self {
        let any_event =
            |known: &dyn Fn(&str) -> bool| registered.iter().any(|(event, _)| known(event));
        let is_group = |(_, item): &Registered| item.get("hooks").is_some();
        if registered.iter().any(is_group) {
            let gemini = |event: &str| events::is_own(event, Hooked::Gemini);
            return if any_event(&gemini) {
                HookDialect::Gemini
            } else {
                HookDialect::Claude
            };
        }
        let copilot_item =
            |(_, item): &Registered| COPILOT_KEYS.iter().any(|key| item.get(key).is_some());
        let copilot_only = |event: &str| {
            events::is_own(event, Hooked::Copilot) && !events::is_own(event, Hooked::Cursor)
        };
        let cursor = |event: &str| events::is_own(event, Hooked::Cursor);
        match () {
            () if registered.is_empty() => HookDialect::Claude,
            () if registered.iter().any(copilot_item) || any_event(&copilot_only) => {
                HookDialect::Copilot
            }
            () if any_event(&cursor) => HookDialect::Cursor,
            // Copilot reads Claude Code's events too, without groups.
            () => HookDialect::Copilot,
        }
    }

    /// Whether a tool reads this form itself.
    pub(super) fn is_native_to(self, tool: Hooked) -> bool {
        matches!(
            (self, tool),
            (HookDialect::Copilot, Hooked::Copilot)
                | (HookDialect::Cursor, Hooked::Cursor)
                | (HookDialect::Gemini, Hooked::Gemini)
        )
    }

    fn owner(self) -> Option<(Hooked, &'static str, Dialect)> {
        match self {
            HookDialect::Claude => None,
            HookDialect::Copilot => Some((Hooked::Copilot, "Copilot", Dialect::CopilotHook)),
            HookDialect::Cursor => Some((Hooked::Cursor, "Cursor", Dialect::CursorHook)),
            HookDialect::Gemini => Some((Hooked::Gemini, "Gemini CLI", Dialect::Gemini)),
        }
    }

    /// The same hooks in Claude Code's form. An event or a matcher without a counterpart loses its hook.
    pub(super) fn to_claude(
        self,
        registered: Vec<Registered>,
        fates: &mut Fates,
    ) -> Result<Vec<Registered>, ConvertError> {
        let Some((tool, owner, names)) = self.owner() else {
            return Ok(registered);
        };
        let mut out = Vec::new();
        for (event, item) in &registered {
            let Some(claude) = events::claude_event(event, tool) else {
                let note =
                    format!("an event of {owner} without a counterpart: the hook does not run");
                fates.add(event, FateKind::Dropped, note);
                continue;
            };
            let matcher = match item
                .get("matcher")
                .and_then(Value::as_str)
                .map(|text| claude_matcher(text, names))
            {
                Some(None) => {
                    let note =
                        format!("tools of {owner} without a counterpart: the hook does not run");
                    fates.add(format!("{event}.matcher"), FateKind::Dropped, note);
                    continue;
                }
                Some(matcher) => matcher,
                None => None,
            };
            let hooks = match item.get("hooks") {
                Some(hooks) => items(hooks)
                    .iter()
                    .map(|hook| self.claude_hook(event, hook))
                    .collect(),
                None => self.claude_hook(event, item).map(|hook| vec![hook]),
            };
            let matcher = matcher.map(|matcher| ("matcher".to_owned(), Value::from(matcher)));
            let hooks = ("hooks".to_owned(), Value::List(hooks?));
            out.push((
                claude.to_owned(),
                Value::Map(matcher.into_iter().chain([hooks]).collect()),
            ));
        }
        Ok(out)
    }

    /// One hook with Claude Code's keys.
    fn claude_hook(self, event: &str, hook: &Value) -> Result<Value, ConvertError> {
        let kind = hook
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("command");
        let command = ["command", "bash"]
            .iter()
            .find_map(|key| hook.get(key))
            .filter(|line| line.as_str().is_some());
        if !is_map(hook) || kind == "command" && command.is_none() {
            let message = format!("a hook of `{event}` has no `command`");
            return Err(ConvertError::new(
                message,
                "write `{\"type\": \"command\", \"command\": \"./check.sh\"}`",
            ));
        }
        let mut out = vec![("type".to_owned(), Value::from(kind))];
        out.extend(command.map(|command| ("command".to_owned(), command.clone())));
        for (key, value) in entries(hook) {
            match key.as_str() {
                "type" | "command" | "bash" | "matcher" => {}
                "timeoutSec" => out.push(("timeout".to_owned(), value.clone())),
                "timeout" if self == HookDialect::Gemini => {
                    out.extend(seconds(value).map(|value| ("timeout".to_owned(), value)));
                }
                _ => out.push((key.clone(), value.clone())),
            }
        }
        Ok(Value::Map(out))
    }
}

/// Milliseconds in whole seconds, rounded up.
fn seconds(value: &Value) -> Option<Value> {
    match value.shape() {
        Shape::Integer(text) => text
            .parse::<u64>()
            .ok()
            .map(|time| Value::from(time.div_ceil(1000) as usize)),
        _ => None,
    }
}

/// A matcher with Claude Code's names; nothing if a part of it means no tool of Claude Code's.
fn claude_matcher(text: &str, names: Dialect) -> Option<String> {
    let text = text.trim();
    if matches!(text, "" | "*" | ".*") {
        return Some("*".to_owned());
    }
    let plain = text
        .trim_start_matches('^')
        .trim_end_matches('$')
        .trim_start_matches('(')
        .trim_end_matches(')');
    let mut out: Vec<String> = Vec::new();
    for name in plain.split('|').map(str::trim) {
        for claude in claude_names(name, names)? {
            if !out.iter().any(|known| known == claude) {
                out.push(claude.to_owned());
            }
        }
    }
    Some(out.join("|"))
}
