//! The model names of tools.

/// The models of a tool, and their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelNames {
    /// The only vendor; `None` if there are several.
    pub vendor: Option<Vendor>,
    /// Whether `inherit` is a model.
    pub inherited: InheritedModel,
    /// The form of model names.
    pub form: ModelForm,
}

/// Whether `inherit` is a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InheritedModel {
    /// A model is named.
    Named,
    /// An agent without a model inherits one.
    Implied,
}

/// The form of a model name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelForm {
    /// The model's identifier.
    Identifier,
    /// As people read it; a list holds several.
    DisplayName,
    /// As `provider/model`, in the tool of this title.
    WithProvider(&'static str),
}

/// The maker of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Claude.
    Anthropic,
    /// GPT.
    OpenAi,
    /// Gemini.
    Google,
}

/// The prefixes of a vendor's model names, in lower case.
const BEGINNINGS: &[(Vendor, &[&str])] = &[
    (Vendor::Anthropic, &["claude", "opus", "sonnet", "haiku"]),
    (Vendor::OpenAi, &["gpt", "codex", "o1", "o3", "o4"]),
    (Vendor::Google, &["gemini"]),
];

impl Vendor {
    /// The vendor of a model by its name in lowercase, if it is known.
    pub fn of(model: &str) -> Option<Self> {
        let is_one = |words: &[&str]| words.iter().any(|word| model.starts_with(word));
        let row = BEGINNINGS.iter().find(|(_, words)| is_one(words));
        row.map(|(vendor, _)| *vendor)
    }
}
