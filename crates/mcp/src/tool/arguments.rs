//! Calls of the tool: arguments to an operation, checked against one table.

use agpm_catalog::ShadowedRows;
use rmcp::ErrorData;
use serde_json::{Map, Value as Json};

use crate::kind::{INSTALLED, ItemKind};
use crate::options::WriteAccess;
use crate::paging::PAGE;
use crate::protocol::error::{PARAMETERS, UNKNOWN_OPERATION};

/// The most rows of a page.
pub(super) const MOST_ROWS: usize = 1000;

/// The longest name, query or path.
const LONGEST_TEXT: usize = 4096;

/// An operation with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ToolOperation {
    /// Rows of a kind, or of the whole catalog.
    List(ListQuery),
    /// One item.
    Read {
        kind: Option<ItemKind>,
        name: String,
    },
    /// The origin of a value.
    Explain {
        what: String,
        pointer: Option<String>,
    },
    /// The state of the project.
    Status,
    /// The plan of an install.
    Plan,
    /// Installs the resources of the manifest.
    Install,
    /// Updates locked versions.
    Update { names: Vec<String> },
}

/// The rows of a listing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListQuery {
    pub(crate) kind: Option<ItemKind>,
    pub(crate) module: Option<String>,
    pub(crate) query: Option<String>,
    pub(crate) shadowed: ShadowedRows,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<String>,
}

/// The properties of an operation that are known before its arguments are read.
pub(super) struct OperationSpec {
    pub(super) word: &'static str,
    writes: WriteAccess,
    takes: &'static [&'static str],
    read: fn(&ToolArguments<'_>) -> Result<ToolOperation, ErrorData>,
}

impl OperationSpec {
    /// Whether clients with this access may use the operation.
    pub(super) fn is_for(&self, writes: WriteAccess) -> bool {
        self.writes == WriteAccess::Refused || writes == WriteAccess::Allowed
    }
}

const fn reads(word: &'static str, takes: &'static [&'static str], read: Reader) -> OperationSpec {
    OperationSpec {
        word,
        writes: WriteAccess::Refused,
        takes,
        read,
    }
}

const fn changes(
    word: &'static str,
    takes: &'static [&'static str],
    read: Reader,
) -> OperationSpec {
    OperationSpec {
        word,
        writes: WriteAccess::Allowed,
        takes,
        read,
    }
}

type Reader = fn(&ToolArguments<'_>) -> Result<ToolOperation, ErrorData>;

/// Every operation, with the arguments that it accepts besides `operation`.
pub(super) const OPERATIONS: &[OperationSpec] = &[
    reads(
        "list",
        &["kind", "module", "query", "all", "limit", "cursor"],
        list,
    ),
    reads("read", &["kind", "module", "name"], read),
    reads("explain", &["what", "pointer"], explain),
    reads("status", &[], |_| Ok(ToolOperation::Status)),
    reads("plan", &[], |_| Ok(ToolOperation::Plan)),
    changes("install", &[], |_| Ok(ToolOperation::Install)),
    changes("update", &["names"], |arguments| {
        Ok(ToolOperation::Update {
            names: arguments.texts("names")?,
        })
    }),
];

const OPERATION: &str = "operation";

impl ToolOperation {
    /// Reads the arguments of a call.
    pub(crate) fn read(
        arguments: &Map<String, Json>,
        writes: WriteAccess,
    ) -> Result<Self, ErrorData> {
        let arguments = ToolArguments(arguments);
        let word = arguments.needed(OPERATION)?;
        let offered = || OPERATIONS.iter().filter(|row| row.is_for(writes));
        let row = offered()
            .find(|row| row.word == word)
            .ok_or_else(|| unknown(word, offered()))?;
        arguments.only(row)?;
        (row.read)(&arguments)
    }
}

fn unknown<'r>(word: &str, offered: impl Iterator<Item = &'r OperationSpec>) -> ErrorData {
    let known: Vec<&str> = offered.map(|row| row.word).collect();
    let help = if OPERATIONS.iter().any(|row| row.word == word) {
        "the server is read-only; start it with `--allow-write`".to_owned()
    } else {
        format!("operations are {}", known.join(", "))
    };
    UNKNOWN_OPERATION.with_help(format!("unknown operation `{word}`"), help)
}

fn list(arguments: &ToolArguments<'_>) -> Result<ToolOperation, ErrorData> {
    let text = |key| arguments.text(key).map(|text| text.map(str::to_owned));
    Ok(ToolOperation::List(ListQuery {
        kind: arguments.text("kind")?.map(kind).transpose()?,
        module: text("module")?,
        query: text("query")?,
        shadowed: if arguments.flag("all")? {
            ShadowedRows::Listed
        } else {
            ShadowedRows::Hidden
        },
        limit: arguments.count("limit", MOST_ROWS)?.unwrap_or(PAGE),
        cursor: text("cursor")?,
    }))
}

fn read(arguments: &ToolArguments<'_>) -> Result<ToolOperation, ErrorData> {
    let kind = arguments.text("kind")?.map(kind).transpose()?;
    let (name, module) = (arguments.needed("name")?, arguments.text("module")?);
    // `installed` with `TYPE/NAME` is the form of URIs.
    let typed = name
        .split_once('/')
        .filter(|_| kind == Some(ItemKind::Installed(None)));
    let typed = typed
        .and_then(|(word, name)| Some((ItemKind::named(&format!("{INSTALLED}/{word}"))?, name)));
    let (kind, name) = typed.map_or((kind, name), |(kind, name)| (Some(kind), name));
    let name = module.map_or_else(|| name.to_owned(), |module| format!("{module}/{name}"));
    Ok(ToolOperation::Read { kind, name })
}

fn explain(arguments: &ToolArguments<'_>) -> Result<ToolOperation, ErrorData> {
    let pointer = arguments.text("pointer")?.map(str::to_owned);
    Ok(ToolOperation::Explain {
        what: arguments.needed("what")?.to_owned(),
        pointer,
    })
}

fn kind(word: &str) -> Result<ItemKind, ErrorData> {
    let help = "kinds are agent, workflow, task, tool, skill, installed, installed/TYPE, persona, bottle, bottle-agent";
    ItemKind::named(word)
        .ok_or_else(|| PARAMETERS.with_help(format!("unknown kind `{word}`"), help))
}

/// The arguments, by key and type.
struct ToolArguments<'a>(&'a Map<String, Json>);

impl<'a> ToolArguments<'a> {
    fn wrong(key: &str, wanted: &str) -> ErrorData {
        PARAMETERS.error(format!("`{key}` is not {wanted}"))
    }

    /// A string; nothing if it is missing or null.
    fn text(&self, key: &str) -> Result<Option<&'a str>, ErrorData> {
        match self.0.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) if text.len() <= LONGEST_TEXT => Ok(Some(text)),
            Some(Json::String(_)) => Err(ToolArguments::wrong(key, "a reasonably short string")),
            Some(_) => Err(ToolArguments::wrong(key, "a string")),
        }
    }

    fn needed(&self, key: &str) -> Result<&'a str, ErrorData> {
        self.text(key)?
            .ok_or_else(|| PARAMETERS.error(format!("`{key}` is missing")))
    }

    fn count(&self, key: &str, most: usize) -> Result<Option<usize>, ErrorData> {
        let wrong = || ToolArguments::wrong(key, "an integer of 1 or more");
        match self.0.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => {
                // Models sometimes write `10.0`.
                let whole = value
                    .as_f64()
                    .filter(|number| number.fract() == 0.0 && *number >= 1.0);
                whole
                    .map(|number| Some((number as usize).min(most)))
                    .ok_or_else(wrong)
            }
        }
    }

    fn flag(&self, key: &str) -> Result<bool, ErrorData> {
        match self.0.get(key) {
            None | Some(Json::Null) => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => Err(ToolArguments::wrong(key, "true or false")),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, ErrorData> {
        let wrong = || ToolArguments::wrong(key, "a list of strings");
        match self.0.get(key) {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// Refuses arguments that the operation does not accept.
    fn only(&self, row: &OperationSpec) -> Result<(), ErrorData> {
        let given = self
            .0
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| key.as_str());
        let mut strange = given.filter(|key| *key != OPERATION && !row.takes.contains(key));
        let Some(key) = strange.next() else {
            return Ok(());
        };
        let help = match row.takes {
            [] => format!("`{}` accepts no arguments", row.word),
            takes => format!("`{}` accepts {}", row.word, takes.join(", ")),
        };
        Err(PARAMETERS.with_help(format!("`{}` does not accept `{key}`", row.word), help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_as(arguments: Json, writes: WriteAccess) -> Result<ToolOperation, String> {
        let error = |error: ErrorData| {
            format!(
                "{} {}",
                error.data.unwrap()["code"].as_str().unwrap(),
                error.message
            )
        };
        ToolOperation::read(arguments.as_object().unwrap(), writes).map_err(error)
    }

    #[test]
    fn good_arguments_are_read() {
        let listing = ListQuery {
            kind: Some(ItemKind::Installed(None)),
            module: None,
            query: Some("rev".to_owned()),
            shadowed: ShadowedRows::Hidden,
            limit: 7,
            cursor: None,
        };
        let arguments = json!({"operation": "list", "kind": "installed", "query": "rev", "limit": 7, "cursor": null});
        assert_eq!(
            read_as(arguments, WriteAccess::Refused),
            Ok(ToolOperation::List(listing))
        );
        let update = json!({"operation": "update", "names": ["a"]});
        assert_eq!(
            read_as(update, WriteAccess::Allowed),
            Ok(ToolOperation::Update {
                names: vec!["a".to_owned()]
            })
        );
    }

    #[test]
    fn every_mistake_has_its_words() {
        let table = [
            (json!({}), "mcp/parameters `operation` is missing"),
            (
                json!({"operation": 5}),
                "mcp/parameters `operation` is not a string",
            ),
            (
                json!({"operation": "fly"}),
                "mcp/unknown-operation unknown operation `fly`",
            ),
            (
                json!({"operation": "install"}),
                "mcp/unknown-operation unknown operation `install`",
            ),
            (
                json!({"operation": "list", "limit": 0}),
                "mcp/parameters `limit` is not an integer of 1 or more",
            ),
            (
                json!({"operation": "list", "limit": 1.5}),
                "mcp/parameters `limit` is not an integer of 1 or more",
            ),
            (
                json!({"operation": "list", "kind": "x"}),
                "mcp/parameters unknown kind `x`",
            ),
            (
                json!({"operation": "list", "query": ["x"]}),
                "mcp/parameters `query` is not a string",
            ),
            (
                json!({"operation": "list", "force": true}),
                "mcp/parameters `list` does not accept `force`",
            ),
            (
                json!({"operation": "read", "kind": "agent"}),
                "mcp/parameters `name` is missing",
            ),
            (
                json!({"operation": "status", "kind": "agent"}),
                "mcp/parameters `status` does not accept `kind`",
            ),
        ];
        for (arguments, expected) in table {
            assert_eq!(
                read_as(arguments, WriteAccess::Refused).unwrap_err(),
                expected
            );
        }
    }
}
