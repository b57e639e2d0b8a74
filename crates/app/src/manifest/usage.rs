//! Arguments, checked: types, names of sources, URLs.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean, visible};
use agpm_model::{
    AddressError, NameError, RESOURCE_TYPES, ResourceType, SourceAddress, SourceName,
    masked_address,
};
use agpm_resolve::discover::CandidateType;

/// Whether something of that name may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// An existing entry may be replaced.
    Allowed,
    /// An existing entry is refused.
    Refused,
}

/// A command that was not used as it can be.
pub fn usage(message: String, help: String) -> Failure {
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}

/// An argument that is not a URL, with the forms that one can have.
pub fn not_an_address(word: &str, error: &AddressError) -> Failure {
    let forms: Vec<String> = error.forms.iter().map(ToString::to_string).collect();
    let word = visible(&masked_address(word));
    // Some problems quote the argument themselves.
    let problem = error.to_string();
    let message = if word.is_empty() || problem.contains(&format!("`{word}`")) {
        problem
    } else {
        format!("`{word}`: {problem}")
    };
    usage(message, format!("write one of these: {}", forms.join(", ")))
}

/// The type of that name.
pub fn type_of_word(word: &str) -> Result<CandidateType, Failure> {
    CandidateType::named(word).ok_or_else(|| {
        let words = agpm_resolve::discover::CANDIDATE_TYPES.map(CandidateType::singular);
        let help = did_you_mean(word, "types are", words).unwrap_or_default();
        usage(format!("no such resource type: `{word}`"), help)
    })
}

/// The type of resource of that name.
pub fn resource_type_of_word(word: &str) -> Result<ResourceType, Failure> {
    ResourceType::named(word).ok_or_else(|| {
        let words = RESOURCE_TYPES.map(|kind| kind.singular());
        let help = did_you_mean(word, "types are", words).unwrap_or_default();
        usage(format!("no such resource type: `{word}`"), help)
    })
}

/// The failure of a tool that no table of tools has.
pub fn unknown_tool<'n>(name: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> Failure {
    let message = format!("unknown tool `{name}`");
    let mut diagnostic = Diagnostic::new(&codes::MANIFEST_UNKNOWN_TOOL, message);
    diagnostic.help = did_you_mean(name, "tools are", known);
    diagnostic.into()
}

/// A name that is taken.
pub fn name_exists(file: &str, section: &str, name: &str) -> Failure {
    let message = format!("`[{section}]` of the {file} already contains `{name}`");
    let help = "run the command with `--force` to replace it, or choose another name";
    Failure::new(
        FailureKind::Refused,
        Diagnostic::new(&codes::IO_EXISTS, message).help(help),
    )
}

/// The URL of a source that is to be added, if it and the name are good.
pub fn new_source(name: &str, address: &str) -> Result<SourceAddress, Failure> {
    let bad_name =
        |error: NameError| usage(error.to_string(), "give the source a short name".to_owned());
    let source_name = SourceName::new(name).map_err(bad_name)?;
    if source_name.as_str().contains([':', '/', ' ']) {
        let help = "use letters, digits and hyphens, as in `community`".to_owned();
        return Err(usage(format!("`{name}` is not a name for a source"), help));
    }
    SourceAddress::parse(address).map_err(|error| {
        usage(
            error.to_string(),
            "write a URL such as `https://host/org/repo.git`, or a directory".to_owned(),
        )
    })
}
