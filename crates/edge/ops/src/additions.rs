//! What commands that add something to a manifest or a configuration share.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean};
use agpm_discover::CandidateType;
use agpm_model::{
    AddressError, NameError, RESOURCE_TYPES, ResourceType, SourceAddress, SourceName,
};

/// Whether something of that name may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It may.
    Allowed,
    /// It is refused.
    Refused,
}

/// A resource to be added.
#[derive(Clone, Debug)]
pub struct NewDependency {
    /// The word for its kind, singular or plural.
    pub kind: String,
    /// `SOURCE:PATH[@VERSION]`, or a local path.
    pub spec: String,
    /// Its name, if it is not the file's.
    pub name: Option<String>,
    /// The tool it is for.
    pub tool: Option<String>,
    /// A folder below the tool's own.
    pub target: Option<String>,
    /// The installed file's name.
    pub filename: Option<String>,
}

/// A command that was not used as it can be.
pub(crate) fn usage(message: String, help: String) -> Failure {
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}

/// A text that is not an address, with the forms that one can have.
pub(crate) fn not_an_address(error: &AddressError) -> Failure {
    let forms: Vec<String> = error.forms.iter().map(ToString::to_string).collect();
    usage(
        error.to_string(),
        format!("write one of these: {}", forms.join(", ")),
    )
}

/// The type that a word names.
pub(crate) fn type_of_word(word: &str) -> Result<CandidateType, Failure> {
    CandidateType::named(word).ok_or_else(|| {
        let words = agpm_discover::CANDIDATE_TYPES.map(CandidateType::singular);
        let help = did_you_mean(word, "types are", words).unwrap_or_default();
        usage(format!("unknown resource type `{word}`"), help)
    })
}

/// The type of resource that a word names.
pub(crate) fn kind_of(word: &str) -> Result<ResourceType, Failure> {
    ResourceType::named(word).ok_or_else(|| {
        let words = RESOURCE_TYPES.map(|kind| kind.singular());
        let help = did_you_mean(word, "kinds are", words).unwrap_or_default();
        usage(format!("unknown resource type `{word}`"), help)
    })
}

/// A name that is taken.
pub(crate) fn exists(file: &str, section: &str, name: &str) -> Failure {
    let message = format!("the {file} has `{name}` under `[{section}]` already");
    let help = "run the command with `--force` to replace it, or choose another name";
    Failure::new(
        FailureKind::Refused,
        Diagnostic::new(&codes::IO_EXISTS, message).help(help),
    )
}

/// The address of a source that is to be added, if it and the name are good.
pub(crate) fn new_source(name: &str, address: &str) -> Result<SourceAddress, Failure> {
    let bad_name =
        |error: NameError| usage(error.to_string(), "give the source a short name".to_owned());
    let known = SourceName::new(name).map_err(bad_name)?;
    if known.as_str().contains([':', '/', ' ']) {
        let help = "use letters, digits and hyphens, as in `community`".to_owned();
        return Err(usage(format!("invalid source name `{name}`"), help));
    }
    SourceAddress::parse(address).map_err(|error| {
        usage(
            error.to_string(),
            "write an address such as `https://host/org/repo.git`, or a folder".to_owned(),
        )
    })
}
