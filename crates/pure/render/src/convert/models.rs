//! Which models a tool has.

use agpm_text::Value;

use super::parts::text_of;
use super::{FateKind, Fates};

/// Who makes a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vendor {
    Anthropic,
    OpenAi,
    Google,
}

/// How a tool names models.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Models {
    Claude,
    Codex,
    Cursor,
    Copilot,
    Gemini,
    OpenCode,
}

impl Models {
    fn vendor(self) -> Option<Vendor> {
        match self {
            Models::Claude => Some(Vendor::Anthropic),
            Models::Codex => Some(Vendor::OpenAi),
            Models::Gemini => Some(Vendor::Google),
            Models::Cursor | Models::Copilot | Models::OpenCode => None,
        }
    }

    /// Why a model cannot be used there; nothing if it can.
    fn objection(self, model: &Value) -> Option<&'static str> {
        let listed = matches!(model, Value::List(_)) && self == Models::Copilot;
        let Some(name) = text_of(model) else {
            return (!listed).then_some("the tool takes one model, by name");
        };
        let lower = name.to_lowercase();
        if lower == "inherit" {
            let known = matches!(self, Models::Claude | Models::Cursor | Models::Gemini);
            return (!known).then_some("it is what happens anyway");
        }
        if self == Models::OpenCode {
            return (!name.contains('/')).then_some("OpenCode names models as `provider/model`");
        }
        if self != Models::Copilot && name.contains(char::is_whitespace) {
            return Some("not the name of a model there");
        }
        match vendor(&lower) {
            Some(Vendor::Anthropic) if self != Models::Claude => {
                is_claude_name(&name).then_some("a name of Claude Code's")
            }
            Some(vendor) => self
                .vendor()
                .filter(|own| *own != vendor)
                .map(|_| "another vendor's model"),
            None => None,
        }
    }
}

/// Claude Code's aliases and identifiers; `Claude Sonnet 4.5`, as Copilot writes it, is neither.
fn is_claude_name(name: &str) -> bool {
    matches!(
        name,
        "sonnet" | "opus" | "haiku" | "sonnet[1m]" | "opusplan"
    ) || name.starts_with("claude-")
}

fn vendor(model: &str) -> Option<Vendor> {
    let starts = |words: &[&str]| words.iter().any(|word| model.starts_with(word));
    match () {
        () if starts(&["claude", "opus", "sonnet", "haiku"]) => Some(Vendor::Anthropic),
        () if starts(&["gpt", "codex", "o1", "o3", "o4"]) => Some(Vendor::OpenAi),
        () if starts(&["gemini"]) => Some(Vendor::Google),
        () => None,
    }
}

/// The model if the tool has it; what happens to it goes to the fates.
pub(super) fn keep<'v>(models: Models, value: &'v Value, fates: &mut Fates) -> Option<&'v Value> {
    match models.objection(value) {
        Some(why) => {
            fates.add("model", FateKind::Dropped, why);
            None
        }
        None => {
            fates.exact("model");
            Some(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_keeps_the_models_that_it_has() {
        use Models::{Claude, Codex, Copilot, Cursor, Gemini, OpenCode};
        for (model, kept) in [
            (Value::from("opus"), &[Claude][..]),
            (Value::from("claude-sonnet-4-5"), &[Claude]),
            (Value::from("inherit"), &[Claude, Cursor, Gemini]),
            (Value::from("gpt-5"), &[Codex, Cursor, Copilot]),
            (Value::from("gemini-2.5-pro"), &[Cursor, Copilot, Gemini]),
            (
                Value::from("anthropic/claude-x"),
                &[Claude, Codex, Cursor, Copilot, Gemini, OpenCode],
            ),
            (Value::from("Claude Sonnet 4.5 (copilot)"), &[Copilot]),
            (Value::list(["GPT-5", "opus"]), &[Copilot]),
        ] {
            let all = [Claude, Codex, Cursor, Copilot, Gemini, OpenCode];
            let found = all
                .into_iter()
                .filter(|models| models.objection(&model).is_none());
            assert!(found.eq(kept.iter().copied()), "{model:?}");
        }
    }
}
