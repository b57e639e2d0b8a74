//! One use case per file: gather, let the pure crates decide, apply, report. Nothing here prints.

mod add;
mod additions;
mod adoption;
mod allowed;
mod approve;
mod bases;
mod blame;
mod bottle;
mod browse;
mod cache;
mod catalog;
mod change;
mod ci;
mod config;
mod demo;
mod diagnostics;
mod diff;
mod doctor;
mod documents;
mod explain;
mod gather;
mod import;
mod init;
mod install;
mod installed;
mod layers;
mod lineage;
mod list;
mod locked;
mod manifest_text;
mod merge;
mod names;
mod outdated;
mod outside;
mod packages;
mod policies;
mod policy;
mod policy_cache;
mod policy_files;
mod projects;
mod reading;
mod releases;
mod scope;
mod search;
mod serialize;
mod source_failure;
mod status;
mod strategies;
mod tree;
mod undo;
mod unexpected;
mod update;
mod validate;
mod verify;
mod watch;
mod why;
mod world;
mod written;

pub use add::{
    AddReport, AddRequest, AddedResource, AddedSource, PickItem, PickState, Picker, add,
};
pub use additions::{NewDependency, Replace};
pub use adoption::AdoptedResource;
pub use agpm_adopt::{ChosenTools, DetectedIn, ManifestDifference, NewEntry, ProjectSurvey};
pub use agpm_bottle::{
    AgentRow, BottleList, BottleRow, BottleValue, BottleView, UnitKind, json_schema as unit_schema,
};
pub use agpm_diag::{FailureKind, Outcome, WarningPolicy};
pub use agpm_diag::{counted, size};
pub use agpm_discover::{
    CandidateType, FoundResource, OfferedResource, SearchQuery, SearchReport, SelectionMode,
};
pub use agpm_explain::{
    CodePage, ExplainReport, ExplainedResource, ExplainedValues, NamedSubject, RequiredAt, Subject,
    ToolConversion,
};
pub use agpm_inspect::{
    ChainLink, CheckCause, CheckName, CheckOutcome, CheckResult, CheckRow, CheckState, CiReport,
    ClientCount, DiskCheck, DiskState, DoctorReport, DriftFinding, LOCAL, LineExpansion,
    ListDetail, ListReport, ListRequest, ListedResource, LockfileState, MASKED, MovedBranch,
    NextInstall, OutdatedReport, OutdatedRequest, OutdatedRow, OutdatedRows, PatchedField,
    ProjectFound, RequiredResource, RequirementChains, SiblingPosition, StatusReport,
    TreeDirection, TreeLine, TreeReport, TreeRequest, ValidateCheck, ValidateReport,
    ValidateRequest, VerifyReport, WhyReport,
};
pub use agpm_layers::{LayerRow, LayerState, LayersReport, SkippedRow};
pub use agpm_manifest::{DependencyId, PatternUse};
pub use agpm_merge::BlameLine;
pub use agpm_merge::{
    BodyLines, BuiltInStrategy, CustomStrategy, ExplainedDeletion, ExplainedLeaf, ExplainedShadow,
    OperationRow, Provenance, SecretDisplay, StrategiesReport, StrategyExample, StrategyPage,
};
pub use agpm_merge::{FileBytes, OutputFormat, RuleArgument};
pub use agpm_model::ObservedPath;
pub use agpm_persona::{
    PERSONA_SCHEMA, PersonaRow, PersonasReport, ProfileAddition, ProfileKinds, ProfileReport,
};
pub use agpm_persona::{PersonaKind, markdown};
pub use agpm_plan::{ChangeAction, ChangeReason, PlannedChange};
pub use agpm_plan::{FieldDifference, FileAction, FileDifference};
pub use agpm_resolve::{LockedResource, Placements, ResourceIdentity};
pub use agpm_store::FileChangeKind;
pub use agpm_trust::{CapabilityIncrease, CapabilityName, CapabilitySet};
pub use approve::{Approval, ManifestProgram, ProjectPrograms, approve, programs, unapproved};
pub use blame::{BlameReport, blame};
pub use bottle::{BottleCheck, BottleInput, bottle_check, bottle_list, bottle_show};
pub use browse::{BrowseReport, BrowseRequest, browse};
pub use cache::{CacheReport, CacheRequest, CachedCopy, CleanExtent, KEPT_UNUSED, cache};
pub use catalog::{
    CatalogFile, CatalogFilter, CatalogLayer, CatalogMode, CatalogPlaces, CatalogRead,
    CatalogReport, CatalogRequest, CatalogRow, CatalogWatch, ENTRY_KINDS, EntryKind, LayerKind,
    OpenCatalog, ShadowedRows, catalog, catalog_show, open_catalog, watch_catalog,
};
pub use change::{ChangeReport, ManifestChange, change_manifest};
pub use ci::{Restore, ci};
pub use config::{ConfigAnswer, ConfigReport, ConfigRequest, config};
pub use demo::{DemoReport, DemoRequest, DemoResult, DemoShow, demo};
pub use diagnostics::{DiagnosticReport, report_all};
pub use diff::{DiffContent, DiffReport, DiffRequest, DiffTarget, diff};
pub use doctor::{DoctorRequest, doctor};
pub use explain::{ExplainRequest, explain};
pub use import::{ImportReport, ImportRequest, import, import_formats};
pub use init::{Adoption, AdoptionAnswer, InitReport, InitRequest, init};
pub use install::{
    Capability, CapabilityChange, CapabilityKind, Changelogs, Conversion, Executables, Fidelity,
    FieldOutcome, FieldOutcomeKind, InstallReport, InstallRequest, LockChange, LockUse, Moved,
    OverwriteRule, Program, RequiredBy, Writing, install,
};
pub use installed::{
    InstalledFile, InstalledReport, InstalledRequest, InstalledResources, open_installed,
};
pub use layers::layers;
pub use lineage::{LineagePlace, ProfileRequest, Submodules, personas, profile};
pub use list::list;
pub use manifest_text::Then;
pub use merge::{MergeInputs, MergeReport, MergeRequest, merge};
pub use names::{KnownNames, known_names};
pub use outdated::outdated;
pub use policy::{PolicyCheckReport, PolicyReport, PolicyRuleReport, policy_check, policy_show};
pub use search::{IndexUse, SearchRequest, search};
pub use status::status;
pub use strategies::{StrategiesRequest, strategies};
pub use tree::tree;
pub use undo::{PastEntry, UndoAction, UndoReport, UndoRequest, done_word, undo, undone_word};
pub use update::{UpdateRequest, update};
pub use validate::validate;
pub use verify::verify;
pub use watch::{ProjectWatch, watch_project};
pub use why::{WhyRequest, why};
pub use world::{
    Environment, InstallScope, ManifestUse, NetworkAccess, OutsideReads, PolicyPlaces, ProgramUse,
    Progress, Silent, World,
};
pub use written::{WrittenFile, WrittenReport, write_files};

/// A path of ours from the project's folder.
pub(crate) fn path_of(path: &'static str) -> agpm_model::RelativePath {
    agpm_model::RelativePath::new(path).expect("agpm names its files portably")
}
