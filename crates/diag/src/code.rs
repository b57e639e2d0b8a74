use crate::{ErrorPage, Severity};

/// A kind of finding: a stable word, a severity and the page that explains it.
#[derive(Debug)]
pub struct Code {
    /// The stable word, such as `json/syntax`.
    pub name: &'static str,
    /// Its severity, unless a strict command raises it.
    pub severity: Severity,
    /// The page in Markdown, with an example that fails and one that passes.
    pub page: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl Code {
    /// The page's parts.
    pub fn parsed(&self) -> ErrorPage<'static> {
        ErrorPage::parse(self.page).expect("a test reads every page")
    }
}

macro_rules! registry {
    ($module:ident $all:ident of $what:literal; $($constant:ident = $name:literal $severity:ident;)*) => {
        #[doc = concat!("The codes of ", $what, ", by constant.")]
        pub mod $module {
            use super::{Code, Severity};
            $(
                #[doc = concat!("`", $name, "`")]
                pub static $constant: Code = Code {
                    name: $name,
                    severity: Severity::$severity,
                    page: include_str!(concat!("../pages/", $name, ".md")),
                };
            )*
        }
        #[doc = concat!("The codes of ", $what, ", in the order of the index.")]
        pub static $all: &[&Code] = &[$(&$module::$constant),*];
    };
}

registry! {
    codes CODES of "what commands find";
    ADD_NOTHING = "add/nothing" Error;
    ADD_SEVERAL = "add/several" Error;
    ADD_TYPE = "add/type" Error;
    AUDIT_BIDI = "audit/bidi" Error;
    AUDIT_COLLECTOR = "audit/collector" Warning;
    AUDIT_CONFUSABLE_NAME = "audit/confusable-name" Warning;
    AUDIT_CREDENTIALS = "audit/credentials" Warning;
    AUDIT_DOWNLOAD_AND_RUN = "audit/download-and-run" Warning;
    AUDIT_HIDDEN_TEXT = "audit/hidden-text" Error;
    AUDIT_IGNORE_INSTRUCTIONS = "audit/ignore-instructions" Warning;
    AUDIT_INVISIBLE = "audit/invisible" Warning;
    AUDIT_OBFUSCATED = "audit/obfuscated" Warning;
    AUDIT_OTHER_SCANNER = "audit/other-scanner" Warning;
    AUDIT_PERMISSION_BYPASS = "audit/permission-bypass" Warning;
    AUDIT_PLAIN_HTTP = "audit/plain-http" Warning;
    AUDIT_REVERSE_SHELL = "audit/reverse-shell" Warning;
    AUDIT_SARIF = "audit/sarif" Error;
    AUDIT_SECRET = "audit/secret" Warning;
    BASE_CHAIN = "base/chain" Error;
    BASE_CYCLE = "base/cycle" Error;
    BASE_MISSING = "base/missing" Error;
    BASE_PROGRAM = "base/program" Error;
    BLOCK_MARKERS = "block/markers" Error;
    BLOCK_TOO_LARGE = "block/too-large" Warning;
    BOTTLE_DUPLICATE_NAME = "bottle/duplicate-name" Error;
    BOTTLE_EXTENDS = "bottle/extends" Error;
    BOTTLE_IGNORED_FOLDER = "bottle/ignored-folder" Note;
    BOTTLE_LEGACY_FILE = "bottle/legacy-file" Error;
    BOTTLE_UNKNOWN_BOTTLE = "bottle/unknown-bottle" Error;
    BOTTLE_UNKNOWN_KEY = "bottle/unknown-key" Error;
    BOTTLE_VALUE = "bottle/value" Error;
    CATALOG_DUPLICATE = "catalog/duplicate" Warning;
    CATALOG_DUPLICATE_REMOTE = "catalog/duplicate-remote" Warning;
    CATALOG_EMPTY = "catalog/empty" Note;
    CATALOG_ESCAPE = "catalog/escape" Error;
    CATALOG_MALFORMED = "catalog/malformed" Warning;
    CATALOG_MISSING_FILE = "catalog/missing-file" Warning;
    CATALOG_NAMELESS = "catalog/nameless" Warning;
    CATALOG_REMOTE = "catalog/remote" Warning;
    CATALOG_STALE = "catalog/stale" Warning;
    CATALOG_UNLISTED = "catalog/unlisted" Warning;
    CSV_HEADER = "csv/header" Error;
    CSV_QUOTE = "csv/quote" Error;
    CSV_RAGGED = "csv/ragged" Warning;
    DIFF_UNAVAILABLE = "diff/unavailable" Warning;
    EXPLAIN_NOT_FOUND = "explain/not-found" Error;
    IMPORT_FORMAT = "import/format" Error;
    IMPORT_NO_COUNTERPART = "import/no-counterpart" Warning;
    INSTALL_CHANGED = "install/changed" Error;
    INSTALL_CONFLICT = "install/conflict" Error;
    INSTALL_EDITED = "install/edited" Warning;
    INSTALL_FOREIGN_STATE = "install/foreign-state" Warning;
    INSTALL_IGNORED = "install/ignored" Warning;
    INSTALL_RECOVERED = "install/recovered" Note;
    INSTALL_UNMANAGED = "install/unmanaged" Error;
    IO_EXISTS = "io/exists" Error;
    IO_NOT_FOUND = "io/not-found" Error;
    IO_UNREADABLE = "io/unreadable" Error;
    JSON_SYNTAX = "json/syntax" Error;
    LAYERS_MISSING = "layers/missing" Warning;
    LAYERS_SKIPPED = "layers/skipped" Warning;
    LINEAGE_CASE = "lineage/case" Warning;
    LINEAGE_CYCLE = "lineage/cycle" Warning;
    LINEAGE_MISSING_PARENT = "lineage/missing-parent" Warning;
    LINEAGE_NEAR_DUPLICATE = "lineage/near-duplicate" Warning;
    LINEAGE_NO_ROOT = "lineage/no-root" Warning;
    LINEAGE_NOT_ARCHIVED = "lineage/not-archived" Warning;
    LINEAGE_OUTSIDE = "lineage/outside" Warning;
    LINEAGE_REMOTE_PARENT = "lineage/remote-parent" Warning;
    LINEAGE_TWO_DOCUMENTS = "lineage/two-documents" Warning;
    LINEAGE_UNREADABLE = "lineage/unreadable" Warning;
    LINEAGE_VALUE = "lineage/value" Warning;
    LINEAGE_VERSION = "lineage/version" Warning;
    LIST_BUDGET = "list/budget" Warning;
    LIST_EMPTY = "list/empty" Note;
    LOCK_BROKEN = "lock/broken" Error;
    LOCK_CAPABILITIES = "lock/capabilities" Warning;
    LOCK_CHECKSUM = "lock/checksum" Error;
    LOCK_JOINED = "lock/joined" Note;
    LOCK_MOVED_TAG = "lock/moved-tag" Warning;
    LOCK_OUTDATED = "lock/outdated" Error;
    LOCK_SOURCE_URL = "lock/source-url" Note;
    MANIFEST_DUPLICATE_LAYER = "manifest/duplicate-layer" Error;
    MANIFEST_ESCAPE = "manifest/escape" Error;
    MANIFEST_EXCLUDE = "manifest/exclude" Warning;
    MANIFEST_IGNORED_KEY = "manifest/ignored-key" Warning;
    MANIFEST_IN_USE = "manifest/in-use" Error;
    MANIFEST_MISSING = "manifest/missing" Error;
    MANIFEST_SECRET = "manifest/secret" Warning;
    MANIFEST_SHADOW = "manifest/shadow" Error;
    MANIFEST_UNKNOWN_KEY = "manifest/unknown-key" Error;
    MANIFEST_UNKNOWN_SOURCE = "manifest/unknown-source" Error;
    MANIFEST_UNKNOWN_STRATEGY = "manifest/unknown-strategy" Error;
    MANIFEST_UNKNOWN_TOOL = "manifest/unknown-tool" Error;
    MANIFEST_VALUE = "manifest/value" Error;
    MARKDOWN_FENCE = "markdown/fence" Error;
    MERGE_CLASH = "merge/clash" Error;
    MERGE_DRIVER = "merge/driver" Error;
    MERGE_DUPLICATE_ITEM = "merge/duplicate-item" Warning;
    MERGE_ITEM_KEY = "merge/item-key" Error;
    MERGE_LAYOUT = "merge/layout" Warning;
    MERGE_MIXED_FORMATS = "merge/mixed-formats" Error;
    MERGE_OPAQUE = "merge/opaque" Warning;
    MERGE_TYPE_CHANGE = "merge/type-change" Warning;
    MERGE_UNSET_NOTHING = "merge/unset-nothing" Warning;
    NAME_UNKNOWN = "name/unknown" Error;
    PACKAGE_CONFLICT = "package/conflict" Error;
    PACKAGE_CYCLE = "package/cycle" Error;
    PACKAGE_DEFAULT_BRANCH = "package/default-branch" Note;
    PACKAGE_EXECUTABLE = "package/executable" Error;
    PACKAGE_NOT_FOUND = "package/not-found" Error;
    PACKAGE_PASSED_OVER = "package/passed-over" Warning;
    PACKAGE_TARGET_CLASH = "package/target-clash" Error;
    PACKAGE_TOO_HARD = "package/too-hard" Error;
    PACKAGE_VERSION = "package/version" Error;
    PATCH_CONFLICT = "patch/conflict" Error;
    PATCH_DROPPED = "patch/dropped" Warning;
    PATCH_FAILED = "patch/failed" Error;
    PATCH_NO_FIELDS = "patch/no-fields" Warning;
    PATCH_TEXT_CONFLICT = "patch/text-conflict" Error;
    PATCH_UNKNOWN = "patch/unknown" Error;
    PLUGIN_CLASH = "plugin/clash" Error;
    PLUGIN_COMMIT = "plugin/commit" Error;
    PLUGIN_MANIFEST = "plugin/manifest" Error;
    PLUGIN_MARKETPLACE = "plugin/marketplace" Error;
    PLUGIN_MISSING_FILE = "plugin/missing-file" Error;
    PLUGIN_NO_PARTS = "plugin/no-parts" Error;
    PLUGIN_SKIPPED = "plugin/skipped" Note;
    PLUGIN_VARIABLE = "plugin/variable" Warning;
    POLICY_LOOSENED = "policy/loosened" Error;
    POLICY_RELEASE_AGE = "policy/release-age" Note;
    POLICY_STALE = "policy/stale" Warning;
    POLICY_UNKNOWN_KEY = "policy/unknown-key" Error;
    POLICY_UNREACHABLE = "policy/unreachable" Error;
    POLICY_VALUE = "policy/value" Error;
    POLICY_VIOLATION = "policy/violation" Error;
    PUBLISH_REFUSED = "publish/refused" Error;
    REPORT_UNREADABLE = "report/unreadable" Warning;
    RESOURCE_DECLARATION = "resource/declaration" Error;
    RESOURCE_ESCAPE = "resource/escape" Error;
    RESOURCE_FOREIGN_DEPENDENCIES = "resource/foreign-dependencies" Note;
    RESOURCE_FRONT_MATTER = "resource/front-matter" Warning;
    RESOURCE_MARKERS = "resource/markers" Error;
    RESOURCE_REFERENCE = "resource/reference" Error;
    RESOURCE_SHAPE = "resource/shape" Error;
    RESOURCE_TEMPLATE = "resource/template" Error;
    SKILL_DESCRIPTION = "skill/description" Warning;
    SKILL_FIELD = "skill/field" Warning;
    SKILL_LIMIT = "skill/limit" Error;
    SKILL_NAME = "skill/name" Warning;
    SOURCE_AUTH = "source/auth" Error;
    SOURCE_CONTENT = "source/content" Error;
    SOURCE_GIT = "source/git" Error;
    SOURCE_NOT_ALLOWED = "source/not-allowed" Error;
    SOURCE_OFFLINE = "source/offline" Error;
    SOURCE_UNREACHABLE = "source/unreachable" Error;
    TEXT_DUPLICATE_KEY = "text/duplicate-key" Error;
    TEXT_ENCODING = "text/encoding" Error;
    TEXT_TOO_DEEP = "text/too-deep" Error;
    TEXT_TOO_LARGE = "text/too-large" Error;
    TEXT_UNREPRESENTABLE = "text/unrepresentable" Error;
    TOML_SYNTAX = "toml/syntax" Error;
    TOOL_DIRECTORY = "tool/directory" Error;
    TOOL_FIDELITY = "tool/fidelity" Error;
    TOOL_FOREIGN_HOOKS = "tool/foreign-hooks" Note;
    TOOL_SAME_NAME = "tool/same-name" Warning;
    TOOL_UNREAD = "tool/unread" Warning;
    TOOL_UNSUPPORTED = "tool/unsupported" Note;
    TOOL_WIDENING = "tool/widening" Error;
    TRUST_CREDENTIALS = "trust/credentials" Error;
    TRUST_INCREASE = "trust/increase" Error;
    TRUST_OWNER = "trust/owner" Warning;
    TRUST_PROGRAM = "trust/program" Error;
    UNDO_EDITED = "undo/edited" Warning;
    UNDO_NOTHING = "undo/nothing" Error;
    USAGE = "usage" Error;
    VERIFY_CHANGED = "verify/changed" Error;
    VERIFY_EXTRA = "verify/extra" Error;
    VERIFY_MISSING = "verify/missing" Error;
    YAML_ALIAS = "yaml/alias" Error;
    YAML_DOCUMENTS = "yaml/documents" Error;
    YAML_KEY = "yaml/key" Error;
    YAML_MERGE_KEY = "yaml/merge-key" Error;
    YAML_SYNTAX = "yaml/syntax" Error;
    YAML_TAG = "yaml/tag" Error;
}

// No command prints these: their pages have requests and answers where those of the others have commands.
registry! {
    server_codes SERVER_CODES of "what the MCP server answers to messages that are wrong";
    BATCH = "mcp/batch" Error;
    BUSY = "mcp/busy" Error;
    CURSOR = "mcp/cursor" Error;
    DUPLICATE_ID = "mcp/duplicate-id" Error;
    INTERNAL = "mcp/internal" Error;
    MALFORMED = "mcp/malformed" Error;
    NO_MESSAGE = "mcp/no-message" Error;
    NOT_INITIALIZED = "mcp/not-initialized" Error;
    PARAMETERS = "mcp/parameters" Error;
    PROTOCOL_VERSION = "mcp/protocol-version" Error;
    TOO_LARGE = "mcp/too-large" Error;
    UNKNOWN_METHOD = "mcp/unknown-method" Error;
    UNKNOWN_OPERATION = "mcp/unknown-operation" Error;
    UNKNOWN_PROMPT = "mcp/unknown-prompt" Error;
    UNKNOWN_RESOURCE = "mcp/unknown-resource" Error;
    UNKNOWN_TOOL = "mcp/unknown-tool" Error;
    URI = "mcp/uri" Error;
}

/// Every code that has a page.
pub fn all_codes() -> impl Iterator<Item = &'static Code> + Clone {
    CODES.iter().chain(SERVER_CODES).copied()
}

/// The code of that name.
pub fn code_named(name: &str) -> Option<&'static Code> {
    let renamed = FORMER_NAMES.iter().find(|(former, _)| *former == name);
    let name = renamed.map_or(name, |(_, code)| code.name);
    all_codes().find(|code| code.name == name)
}

/// Names that codes had before: people search for what they were shown.
const FORMER_NAMES: [(&str, &Code); 1] = [("install/not-ours", &codes::INSTALL_UNMANAGED)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_every_page_is_whole() {
        assert!(CODES.is_sorted_by_key(|code| code.name));
        assert!(SERVER_CODES.is_sorted_by_key(|code| code.name));
        for code in all_codes() {
            let page = ErrorPage::parse(code.page);
            assert!(page.is_some(), "the page of {} lacks a part", code.name);
            assert!(
                code.page.starts_with(&format!("# {}\n", code.name)),
                "{}",
                code.name
            );
        }
    }
    #[test]
    fn a_code_is_of_the_server_or_of_commands() {
        let of_server = |code: &&Code| code.name.starts_with("mcp/");
        assert!(SERVER_CODES.iter().copied().all(|code| of_server(&code)));
        assert!(!CODES.iter().copied().any(|code| of_server(&code)));
        assert_eq!(code_named("mcp/uri"), Some(&server_codes::URI));
    }
}
