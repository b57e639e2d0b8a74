//! One use case per file: gather, let the pure crates decide, apply, report. Nothing here prints.

mod add;
mod additions;
mod approve;
mod blame;
mod bottle;
mod browse;
mod cache;
mod catalog;
mod change;
mod ci;
mod config;
mod demo;
mod diff;
mod doctor;
mod explain;
mod gitignore;
mod ignored_hooks;
mod import;
mod init;
mod install;
mod layers;
mod lineage;
mod list;
mod manifest_text;
mod merge;
mod names;
mod outdated;
mod policy;
mod search;
mod status;
mod strategies;
mod tree;
mod undo;
mod update;
mod validate;
mod verify;
mod why;
mod written;

pub use add::{
    AddReport, AddRequest, AddedResource, AddedSource, ChangedResource, LeftOutResource, PickItem,
    PickState, Picker, ProjectTools, ToolsOrigin, add,
};
pub use additions::{NewDependency, Replace};
pub use agpm_adopt::AdoptedResource;
pub use agpm_adopt::{ChosenTools, DetectedIn, ManifestDifference, NewEntry, ProjectSurvey};
pub use agpm_bottle::{
    AgentRow, BottleList, BottleName, BottleRow, BottleValue, BottleView, UnitKind,
    json_schema as unit_schema,
};
pub use agpm_diag::{FailureKind, Outcome, TypedCommand, WarningPolicy};
pub use agpm_diag::{counted, size};
pub use agpm_discover::{
    CandidateType, FoundResource, OfferedResource, SearchQuery, SearchReport, SelectionMode,
};
pub use agpm_explain::{
    CodePage, ExplainReport, ExplainSubject, ExplainedResource, ExplainedValues, NamedSubject,
    RequiredAt, ToolConversion,
};
pub use agpm_inspect::{
    ChainLink, CheckCause, CheckName, CheckOutcome, CheckResult, CheckRow, CheckState, CiReport,
    ClientCount, DiskCheck, DiskState, DoctorReport, DriftFinding, LOCAL, LineExpansion,
    ListDetail, ListReport, ListRequest, ListedResource, LockfileState, MASKED, MovedBranch,
    NextInstall, OutdatedReport, OutdatedRequest, OutdatedRow, OutdatedRows, PatchedField,
    PathBase, ProjectChecks, ProjectFound, RecursiveCiReport, RequiredResource, RequirementChains,
    SiblingPosition, StatusReport, TreeDirection, TreeLine, TreeReport, TreeRequest, ValidateCheck,
    ValidateReport, ValidateRequest, VerifyReport, WhyReport,
};
pub use agpm_install::BASE_APPROVAL;
pub use agpm_layers::{LayerRow, LayerState, LayersReport, SkippedRow};
pub use agpm_manifest::{DependencyId, PatternUse};
pub use agpm_merge::BlameLine;
pub use agpm_merge::{
    BodyLines, BuiltInStrategy, CustomStrategy, ExplainedDeletion, ExplainedLeaf, ExplainedShadow,
    OperationRow, Provenance, SecretDisplay, StrategiesReport, StrategyExample, StrategyPage,
};
pub use agpm_merge::{FileBytes, OutputFormat, RuleArgument};
pub use agpm_model::FileChangeKind;
pub use agpm_model::ObservedPath;
pub use agpm_model::PartNames;
pub use agpm_persona::{
    PERSONA_SCHEMA, PersonaRow, PersonasReport, ProfileAddition, ProfileKinds, ProfileReport,
};
pub use agpm_persona::{PersonaKind, markdown};
pub use agpm_plan::{ChangeAction, ChangeReason, PlannedChange};
pub use agpm_plan::{FieldDifference, FileAction, FileDifference};
pub use agpm_project::installed::{
    InstalledFile, InstalledReport, InstalledRequest, InstalledResources, open_installed,
};
pub use agpm_project::permits::ProjectPrograms;
pub use agpm_project::watch::{ProjectWatch, watch_project};
pub use agpm_project::world::{
    BaseApproval, Environment, InstallScope, ManifestUse, NetworkAccess, OutsideReads,
    PolicyLocations, ProgramUse, Progress, SilentProgress, TransferProgress, World,
};
pub use agpm_resolve::{LockedResource, Placements, ResourceIdentity};
pub use agpm_trust::{CapabilityIncrease, CapabilityName, CapabilitySet};
pub use approve::{ManifestProgram, ProgramApproval, approve, programs, unapproved, waiting};
pub use blame::{BlameReport, blame};
pub use bottle::{BottleCheck, BottleInput, bottle_check, bottle_list, bottle_show};
pub use browse::{BrowseReport, BrowseRequest, browse};
pub use cache::{CacheReport, CacheRequest, CachedCopy, CleanExtent, KEPT_UNUSED, cache};
pub use catalog::{
    CatalogFile, CatalogFilter, CatalogLayer, CatalogMode, CatalogRead, CatalogReport,
    CatalogRequest, CatalogRow, CatalogSelection, CatalogWatch, ENTRY_KINDS, EntryKind, LayerKind,
    OpenCatalog, ShadowedRows, catalog, catalog_show, open_catalog, watch_catalog,
};
pub use change::{ChangeReport, ManifestChange, change_manifest};
pub use ci::{Restore, ci, ci_recursive};
pub use config::{ConfigAnswer, ConfigReport, ConfigRequest, config};
pub use demo::{DemoReport, DemoRequest, DemoResult, DemoShow, demo};
pub use diff::{DiffContent, DiffReport, DiffRequest, DiffTarget, diff};
pub use doctor::{DoctorRequest, doctor};
pub use explain::{ExplainRequest, explain};
pub use import::{
    FoundImport, FoundImports, ImportReport, ImportRequest, found_imports, import, import_formats,
};
pub use init::{Adoption, AdoptionAnswer, InitReport, InitRequest, ManifestWrite, init};
pub use install::{
    Capability, CapabilityChange, CapabilityKind, ChangelogReading, ConvertedResource,
    FidelityPolicy, FieldOutcome, FieldOutcomeKind, InstallReport, InstallRequest, InstalledOwners,
    LockChange, LockUse, OverwriteRule, ReportedProgram, RequiredBy, ResourceCount, ResourceCounts,
    ResourceOutcome, SourceFileState, TransitiveExecutables, UpdatedPin, WriteMode, install,
};
pub use layers::layers;
pub use lineage::{LineageScope, ProfileRequest, SubmoduleScope, personas, profile};
pub use list::list;
pub use manifest_text::AfterEdit;
pub use merge::{MergeInputs, MergeReport, MergeRequest, merge};
pub use names::{KnownNames, known_names};
pub use outdated::outdated;
pub use policy::{PolicyCheckReport, PolicyReport, PolicyRuleReport, policy_check, policy_show};
pub use search::{IndexUse, SearchRequest, search};
pub use status::status;
pub use strategies::{StrategiesRequest, strategies};
pub use tree::tree;
pub use undo::{PastEntry, UndoAction, UndoReport, UndoRequest, undo};
pub use update::{UpdateRequest, update};
pub use validate::validate;
pub use verify::verify;
pub use why::{WhyRequest, why};
pub use written::{WrittenFile, WrittenReport, write_files};
