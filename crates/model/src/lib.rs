//! The domain types of agpm, which cannot hold an invalid value, and the manifest built from them.
//!
//! The crate knows how things are written, not where they are stored or how they merge.

mod address;
mod audit_settings;
mod base;
mod base_paths;
mod catalog_remote;
mod changelog;
mod check;
mod credentials;
mod declared;
mod digest;
mod field_names;
mod file_change;
mod files;
mod glob;
mod host_pattern;
mod import;
mod instruction;
mod json_schema;
mod layer_patterns;
mod limits;
mod lock;
mod lock_parts;
mod lock_tables;
mod lock_use;
mod manifest;
mod marketplace;
mod name;
mod naming;
mod node;
mod observed;
mod owner;
mod path;
mod pattern;
mod pin;
mod policy;
mod policy_tables;
mod redact;
mod repository_pattern;
mod resource;
mod resource_pattern;
mod revisions;
mod schema;
mod server_file;
mod shared_bytes;
mod skill;
mod source_addresses;
mod source_versions;
mod strategy;
mod tool;
mod unit;
mod user_config;
mod variant;
mod version;

pub use address::{
    ADDRESS_SCHEMES, Address, AddressContext, AddressError, AddressForm, AddressKind,
    AddressProblem, BrowserAddress, DefaultHost, Encryption, HostError, InnerAddress, NamedAddress,
    PageReference, PluginAddress, RepositoryAddress, ServerLocation, SourceAddress,
    SourceAddressError, repository_name, repository_owner, same_repository,
};
pub use agpm_tools::is_loaded_code;
pub use audit_settings::{AuditIgnore, AuditLevel, AuditSettings};
pub use base::{
    BaseAddress, BaseReference, BaseRoot, LONGEST_CHAIN, LockedBase, RepositoryBase, read_extends,
    refused_programs,
};
pub use base_paths::{joined as joined_path, local_path_of_base, relocate_bases};
pub use catalog_remote::{CatalogRemote, RemoteBase, RemoteError};
pub use changelog::changelog_between;
pub use credentials::is_credential_path;
pub use declared::{
    Declarations, DeclaredDependency, DeclaringFile, declarations, read_declarations,
};
pub use digest::{Checksum, ChecksumError, Revision, RevisionError};
pub use field_names::{
    serialize_commit, serialize_folder, serialize_id, serialize_path, serialize_root, serialize_url,
};
pub use file_change::FileChangeKind;
pub use files::{
    FileProblem, FoundFile, FoundKind, MachineFiles, OutsideReads, ProblemKind, ResolvedPath,
    display_from, normalize,
};
pub use glob::{Glob, GlobError};
pub use host_pattern::{HostPattern, HostPatternError};
pub use import::{
    BaseDirectories, ImportAdditions, ImportedConfiguration, ImportedLayer, ImportedLocation,
    NewLayer, read_agent_manager,
};
pub use instruction::{InstructionForm, InstructionPaths, InstructionScope};
pub use json_schema::{FileSchema, any_of_schema};
pub use lock::{
    LOCK_NAME, LockEntry, LockWriter, LockedCapabilitySet, LockedLayer, LockedPlacement,
    LockedRemote, LockedSource, Lockfile, PRIVATE_LOCK_NAME, RESTORE_LOCK,
};
pub use lock_tables::LOCK_SCHEMA;
pub use lock_use::{LockUse, outdated_lock, with_names_of};
pub use manifest::{
    AskedRemote, BaseText, CONFIG_SCHEMA, CatalogSettings, Dependency, Exclusion,
    ExecutableAllowance, FieldPath, FilePattern, InstallMode, Layer, LayerLocation,
    MANIFEST_SCHEMA, Manifest, ManifestTexts, MarketplaceDependency, MergeRule, PATCH_FILE,
    PRIVATE_SCHEMA, PartChoice, PartFilter, PartNames, Patch, PatchScope, SectionEntry,
    SourceDeclaration, SourceScope, TextPatch, Visibility, is_junk, is_plugin_name, unknown_patch,
};
pub use marketplace::{LockedMarketplace, MarketplacePlugin};
pub use name::{BaseName, LayerName, NameError, ResourceName, SourceName, ToolName};
pub use naming::{is_generic_stem, resource_name, tag_names};
pub use node::{EntryNode, NodeLocation};
pub use observed::{FileState, ObservedPath};
pub use owner::{LayerSet, Owner};
pub use path::{PathError, RelativePath};
pub use pattern::{PatternError, PatternProgress, PointerPattern, Specificity};
pub use pin::{LockedPin, Pin, PinId, PinSource, ResourceId};
pub use policy::{
    AllowDeny, AllowList, EXECUTABLE_MODES, ExecutableMode, OnUnreachable, Policy, PolicyRow,
    PolicyRule, ReleaseAge, RequiredResource, ResourceDenial, RuleName, parse_age,
};
pub use policy_tables::POLICY_SCHEMA;
pub use redact::masked_address;
pub use repository_pattern::{RepositoryPattern, RepositoryPatternError};
pub use resource::{
    MARKETPLACE_FILES, PLUGIN_PARTS, RESOURCE_TYPES, ResourceType, SKILL_FILE, TargetLayout,
};
pub use resource_pattern::{LocatedContent, ResourcePattern, ResourcePatternError};
pub use revisions::{NamedRevisions, RevisionLookup};
pub use schema::{
    Definition, KeyClass, KeyCondition, KeyNames, KeyOwner, KeyPresence, OtherKeys, Passthrough,
    SchemaField, SchemaTable, UnknownKey, ValueForm,
};
pub use server_file::ServerFile;
pub use shared_bytes::SharedBytes;
pub use skill::{skill_findings, standard_violation};
pub use source_versions::{
    AllowedVersions, ResolvedVersion, SourceVersions, VersionIndex, default_requirement,
    is_abbreviated_commit,
};
pub use strategy::{
    BUILT_IN, BodySeparator, BuiltIn, EmptyRule, IdentityField, ItemRule, ListIdentity, ListRule,
    MapRule, MergeDriver, MergeOperation, MergeOutput, OPERATIONS, OperationError, PointerRule,
    ProgramAuthor, Strategy, TextProjection,
};
pub use tool::{
    Destination, InstallScope, Tool, ToolDirectory, ToolState, Tools, plugin_destination,
};
pub use unit::{FileMode, ResourceExtent, ResourceOrigin, ResourcePath, Unit};
pub use user_config::{ConfiguredSource, UserConfig};
pub use variant::{Variant, Variants};
pub use version::{
    DEFAULT_VERSION, Requirement, RequirementError, VersionLabel, VersionRequirement, newest_range,
    newest_tag,
};
