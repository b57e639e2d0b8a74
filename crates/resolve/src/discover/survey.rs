use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{MARKETPLACE_FILES, ResourcePath, ResourceType, SKILL_FILE, resource_name};
use agpm_text::{Document, NodeRef};

use crate::discover::candidate::{
    CANDIDATE_TYPES, Candidate, CandidateType, PluginMembership, PluginPlacement,
};
use crate::discover::content::{SelfDescription, document, type_of_content};
use crate::discover::limits::MOST_UNDECIDED;
use crate::discover::marketplace::{MarketplaceListing, read_marketplace};
use crate::discover::paths::{
    file_name, is_skipped, is_within, may_be_resource, parent, type_of_path_in,
};

/// Files that turn the directory above their own into a plugin.
const PLUGIN_FILES: [&str; 4] = [
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".github/plugin/plugin.json",
];
/// The manifest of an Agent Plugin, which only its `$schema` distinguishes from other files of that name.
const AGENT_PLUGIN_FILE: &str = "plugin.json";
const AGENT_PLUGIN_SCHEMA: &str = "agent-plugins.org/";

/// The files that a query needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadExtent {
    /// Manifests of plugins and marketplaces: enough to know what belongs to what.
    Manifests,
    /// All files that show a type, a name or a description.
    Everything,
}

/// The candidates of a listing, and the files still to be read.
#[derive(Clone, Debug)]
pub struct SourceSurvey {
    /// The name of the root where nothing else names it.
    source_name: String,
    /// The directories that the root itself is in, which may name types too.
    outer: String,
    /// The directory that is looked at; what is exactly there is meant, not what is in it.
    top: String,
    skills: BTreeSet<String>,
    plugins: BTreeMap<String, SurveyedPlugin>,
    marketplaces: BTreeMap<String, String>,
    /// Names that marketplaces give themselves.
    marketplace_names: Vec<String>,
    entries: Vec<MarketplaceListing>,
    /// New names of plugins, by their old ones.
    renames: BTreeMap<String, String>,
    files: BTreeMap<String, CandidateType>,
    undecided: BTreeSet<String>,
    /// `plugin.json` files that may be manifests.
    possible_plugins: BTreeSet<String>,
    about: BTreeMap<String, SelfDescription>,
}

#[derive(Clone, Debug, Default)]
struct SurveyedPlugin {
    manifest: Option<String>,
    name: Option<String>,
    description: Option<String>,
}

/// The directory that is surveyed.
#[derive(Clone, Copy, Debug)]
pub struct SurveyedDirectory<'a> {
    /// Its path from the root of the source; empty for the root.
    pub top: &'a str,
    /// The name of the root where nothing else names it.
    pub source_name: &'a str,
    /// The directories that lead to the root, if they are known.
    pub outer: &'a str,
}

impl SourceSurvey {
    /// Looks at the files of a source, or of a directory in it, by their paths alone.
    pub fn of<'p>(
        paths: impl IntoIterator<Item = &'p str>,
        directory: SurveyedDirectory<'_>,
    ) -> Self {
        let paths: Vec<&str> = paths.into_iter().filter(|path| !is_skipped(path)).collect();
        let mut survey = SourceSurvey {
            source_name: directory.source_name.to_owned(),
            outer: directory.outer.to_owned(),
            top: directory.top.to_owned(),
            skills: BTreeSet::new(),
            plugins: BTreeMap::new(),
            marketplaces: BTreeMap::new(),
            marketplace_names: Vec::new(),
            entries: Vec::new(),
            renames: BTreeMap::new(),
            files: BTreeMap::new(),
            undecided: BTreeSet::new(),
            possible_plugins: BTreeSet::new(),
            about: BTreeMap::new(),
        };
        for path in &paths {
            survey.note_marker(path);
        }
        for path in paths {
            survey.note_file(path);
        }
        survey
    }

    /// Records a file that identifies its directory.
    fn note_marker(&mut self, path: &str) {
        if file_name(path) == SKILL_FILE {
            self.skills.insert(parent(path).to_owned());
        } else if let Some(directory) = marked_directory(path, &PLUGIN_FILES) {
            let plugin = self.plugins.entry(directory.to_owned()).or_default();
            plugin.manifest.get_or_insert_with(|| path.to_owned());
        } else if let Some(directory) = marked_directory(path, &MARKETPLACE_FILES) {
            let directory = directory.to_owned();
            self.marketplaces.insert(path.to_owned(), directory);
        } else if file_name(path) == AGENT_PLUGIN_FILE {
            self.possible_plugins.insert(path.to_owned());
        }
    }

    fn note_file(&mut self, path: &str) {
        let is_marker = file_name(path) == SKILL_FILE
            || self.possible_plugins.contains(path)
            || marked_directory(path, &PLUGIN_FILES).is_some()
            || marked_directory(path, &MARKETPLACE_FILES).is_some();
        if is_marker || self.is_in_skill(path) {
            return;
        }
        if let Some(kind) = type_of_path_in(&self.outer, path) {
            self.files.insert(path.to_owned(), kind);
        } else if may_be_resource(path) && self.undecided.len() < MOST_UNDECIDED {
            self.undecided.insert(path.to_owned());
        }
    }

    /// Whether a file is part of a skill: its directory is the skill's, unless a plugin is nearer.
    fn is_in_skill(&self, path: &str) -> bool {
        let mut directory = parent(path);
        loop {
            if self.skills.contains(directory) {
                return true;
            }
            if self.plugins.contains_key(directory) || directory.is_empty() {
                return false;
            }
            directory = parent(directory);
        }
    }

    /// The files that must be read to know more; one batch.
    pub fn files_to_read(&self, extent: ReadExtent) -> Vec<String> {
        let manifests = self
            .plugins
            .values()
            .filter_map(|plugin| plugin.manifest.as_ref());
        let manifests = manifests
            .chain(self.marketplaces.keys())
            .chain(&self.possible_plugins);
        let mut files: BTreeSet<String> = manifests.cloned().collect();
        if extent == ReadExtent::Everything {
            let is_read = |path: &&String| document_extension(path);
            files.extend(self.files.keys().filter(is_read).cloned());
            files.extend(self.undecided.iter().cloned());
            files.extend(self.skills.iter().map(|directory| skill_file(directory)));
        }
        files.into_iter().collect()
    }

    /// Takes in the contents of files.
    pub fn record_file(&mut self, path: &str, bytes: &[u8]) {
        if self.undecided.contains(path)
            && let Some(kind) = type_of_content(path, bytes)
        {
            self.files.insert(path.to_owned(), kind);
        }
        if let Some(root) = self.marketplaces.get(path) {
            if let Some(marketplace) = read_marketplace(bytes, root) {
                self.marketplace_names.extend(marketplace.name);
                self.entries.extend(marketplace.entries);
                self.renames.extend(marketplace.renames);
            }
            return;
        }
        let about = SelfDescription::of(path, bytes);
        if self.possible_plugins.contains(path) {
            if is_agent_plugin(path, bytes) {
                let plugin = self.plugins.entry(parent(path).to_owned()).or_default();
                plugin.manifest.get_or_insert_with(|| path.to_owned());
                plugin.describe(about);
            }
            return;
        }
        let is_manifest = |plugin: &&mut SurveyedPlugin| plugin.manifest.as_deref() == Some(path);
        match self.plugins.values_mut().find(is_manifest) {
            Some(plugin) => plugin.describe(about),
            None => {
                self.about.insert(path.to_owned(), about);
            }
        }
    }

    /// The names that marketplaces of the source give themselves.
    pub fn marketplace_names(&self) -> &[String] {
        &self.marketplace_names
    }

    /// New names of plugins, by their old ones.
    pub fn renames(&self) -> &BTreeMap<String, String> {
        &self.renames
    }

    /// Everything that is offered, by type and name.
    pub fn candidates(&self) -> Vec<Candidate> {
        let plugins = self.all_plugins();
        if let Some(exact) = self.at_top(&plugins) {
            return exact;
        }
        let mut found = plugins.clone();
        found.extend(self.skills.iter().map(|directory| self.skill(directory)));
        let is_type = |(path, kind): (&String, &CandidateType)| self.file(path, *kind);
        found.extend(self.files.iter().map(is_type));
        for candidate in &mut found {
            if candidate.kind != CandidateType::Plugin {
                candidate.membership = self.membership(&candidate.path, &plugins);
            }
        }
        let order = |candidate: &Candidate| {
            let is_it = |kind: &CandidateType| *kind == candidate.kind;
            CANDIDATE_TYPES.iter().position(is_it)
        };
        found.sort_by(|left, right| {
            let ordering = order(left).cmp(&order(right));
            ordering.then_with(|| (&left.name, &left.path).cmp(&(&right.name, &right.path)))
        });
        found
    }

    /// The candidate at the requested path itself: a skill, or a plugin with its parts.
    fn at_top(&self, plugins: &[Candidate]) -> Option<Vec<Candidate>> {
        if self.top.is_empty() {
            return None;
        }
        let is_plugin = plugins.iter().any(|plugin| plugin.path == self.top);
        (self.skills.contains(&self.top) && !is_plugin).then(|| vec![self.skill(&self.top)])
    }

    fn skill(&self, directory: &str) -> Candidate {
        let about = self.about.get(&skill_file(directory));
        let declared = about.and_then(|about| about.name.clone());
        let name = match directory {
            "" => declared.clone().unwrap_or_else(|| self.source_name.clone()),
            directory => file_name(directory).to_owned(),
        };
        Candidate {
            kind: CandidateType::Skill,
            declared_name: declared.filter(|declared| *declared != name),
            name,
            path: directory.to_owned(),
            description: about.and_then(|about| about.description.clone()),
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    fn file(&self, path: &str, kind: CandidateType) -> Candidate {
        let about = self.about.get(path);
        // Types that agpm does not install yet are called like their files too.
        let resource = kind.resource_type().unwrap_or(ResourceType::Snippets);
        let name = match ResourcePath::found(path) {
            Ok(path) => resource_name(resource, &path, Some(&self.source_name), &|_| false),
            Err(_) => file_name(path).to_owned(),
        };
        let declared = about.and_then(|about| about.name.clone());
        Candidate {
            kind,
            declared_name: declared.filter(|declared| *declared != name),
            name,
            path: path.to_owned(),
            description: about.and_then(|about| about.description.clone()),
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    /// Plugins with a manifest, and those that a marketplace lists.
    fn all_plugins(&self) -> Vec<Candidate> {
        let plugins = self.plugins.iter();
        let mut all: Vec<Candidate> = plugins
            .map(|(path, plugin)| self.plugin(path, plugin))
            .collect();
        // Entries that name a directory first: those that name only a repository add nothing to them.
        let is_elsewhere = |entry: &&MarketplaceListing| entry.location != PluginPlacement::Here;
        let mut entries: Vec<&MarketplaceListing> = self.entries.iter().collect();
        entries.sort_by_key(is_elsewhere);
        for entry in entries {
            // Entries for the root that list their parts are several plugins in one directory.
            let is_same = |one: &&mut Candidate| {
                entry.location == PluginPlacement::Here
                    && one.path == entry.path
                    && self.plugins.contains_key(&one.path)
                    && (!one.path.is_empty() || entry.parts.is_empty() || one.name == entry.name)
            };
            // Several catalogs of one source list the same plugins, each for its own client and in its own form.
            let is_listed = all.iter().any(|one| one.is_called(&entry.name));
            match all.iter_mut().find(is_same) {
                Some(one) => {
                    one.description = one.description.take().or(entry.description.clone());
                    // People know the name of the marketplace, and the manifest of the plugin may have another one.
                    if one.name != entry.name && one.declared_name.is_none() {
                        one.declared_name = Some(entry.name.clone());
                    }
                }
                None if is_listed => {}
                None => all.push(Candidate {
                    kind: CandidateType::Plugin,
                    name: entry.name.clone(),
                    declared_name: None,
                    path: entry.path.clone(),
                    description: entry.description.clone(),
                    membership: PluginMembership::Standalone,
                    location: match &entry.location {
                        PluginPlacement::Here => PluginPlacement::Listed,
                        other => other.clone(),
                    },
                }),
            }
        }
        all
    }

    fn plugin(&self, path: &str, plugin: &SurveyedPlugin) -> Candidate {
        let by_path = match path {
            "" => self.source_name.clone(),
            path => file_name(path).to_owned(),
        };
        Candidate {
            kind: CandidateType::Plugin,
            name: plugin.name.clone().unwrap_or(by_path),
            declared_name: None,
            path: path.to_owned(),
            description: plugin.description.clone(),
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    /// The plugin whose directory a path is in, the nearest if there are several, or the one whose entry lists it.
    fn membership(&self, path: &str, plugins: &[Candidate]) -> PluginMembership {
        let lists =
            |entry: &&MarketplaceListing| entry.parts.iter().any(|part| is_within(path, part));
        let listed = self.entries.iter().find(lists);
        let lists_parts = |plugin: &Candidate| {
            let is_it = |entry: &MarketplaceListing| {
                entry.name == plugin.name && entry.path == plugin.path && !entry.parts.is_empty()
            };
            self.entries.iter().any(is_it)
        };
        let contains = |plugin: &&Candidate| {
            !matches!(plugin.location, PluginPlacement::Elsewhere(_))
                && is_within(path, &plugin.path)
                && !(plugin.path.is_empty() && lists_parts(plugin))
        };
        let nearest = plugins
            .iter()
            .filter(contains)
            .max_by_key(|plugin| plugin.path.len());
        match (nearest, listed) {
            (Some(plugin), _) => PluginMembership::Part(plugin.name.clone()),
            (None, Some(entry)) => PluginMembership::Listed(entry.name.clone()),
            (None, None) => PluginMembership::Standalone,
        }
    }
}

impl SurveyedPlugin {
    fn describe(&mut self, about: SelfDescription) {
        self.name = about.name;
        self.description = about.description;
    }
}

/// The directory that a file with one of these names identifies.
fn marked_directory<'p>(path: &'p str, files: &[&str]) -> Option<&'p str> {
    files.iter().find_map(|file| {
        let directory = path.strip_suffix(file)?;
        match directory {
            "" => Some(""),
            directory => directory.strip_suffix('/'),
        }
    })
}

fn skill_file(directory: &str) -> String {
    match directory {
        "" => SKILL_FILE.to_owned(),
        directory => format!("{directory}/{SKILL_FILE}"),
    }
}

fn document_extension(path: &str) -> bool {
    [".md", ".mdc", ".json"]
        .iter()
        .any(|suffix| path.ends_with(suffix))
}

fn is_agent_plugin(path: &str, bytes: &[u8]) -> bool {
    let document = document(path, bytes);
    let schema = document
        .as_ref()
        .and_then(Document::root)
        .and_then(|root| root.get("$schema"));
    let schema = schema.and_then(NodeRef::as_str);
    schema.is_some_and(|schema| schema.contains(AGENT_PLUGIN_SCHEMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(Vec<(&'static str, &'static str)>, &'static str);

    impl Files {
        fn survey(&self, top: &str) -> SourceSurvey {
            let within = self.0.iter().filter(|(path, _)| is_within(path, top));
            let directory = SurveyedDirectory {
                top,
                source_name: "repo",
                outer: self.1,
            };
            SourceSurvey::of(within.map(|(path, _)| *path), directory)
        }

        fn read(&self, top: &str) -> Vec<String> {
            let mut survey = self.survey(top);
            for path in survey.files_to_read(ReadExtent::Everything) {
                let content = self.0.iter().find(|(plugins, _)| *plugins == path);
                survey.record_file(&path, content.map_or("", |(_, content)| content).as_bytes());
            }
            rows(&survey)
        }
    }

    fn rows(survey: &SourceSurvey) -> Vec<String> {
        let row = |one: Candidate| {
            let plugin = one
                .membership
                .plugin()
                .map(|plugin| format!(" of {plugin}"));
            let about = one.description.map(|text| format!(": {text}"));
            let path = if one.path.is_empty() { "." } else { &one.path };
            format!(
                "{} {} {path}{}{}",
                one.kind,
                one.name,
                plugin.unwrap_or_default(),
                about.unwrap_or_default()
            )
        };
        survey.candidates().into_iter().map(row).collect()
    }

    #[test]
    fn skills_are_found_anywhere_and_own_their_files() {
        let files = Files(
            vec![
                ("README.md", "---\nname: x\ntools: y\n---\n"),
                (
                    "skills/pdf/SKILL.md",
                    "---\nname: pdf\ndescription: Reads PDF\n---\n",
                ),
                ("skills/pdf/scripts/fill.py", ""),
                ("skills/pdf/agents/a.md", ""),
                (
                    "skills/docx/SKILL.md",
                    "---\nname: docx\ndescription: 'a\u{1b}[31mb'\n---\n",
                ),
                (
                    "agents/reviewer.md",
                    "---\nname: reviewer\ndescription: Reviews\n---\n",
                ),
                ("node_modules/x/SKILL.md", ""),
            ],
            "",
        );
        assert_eq!(rows(&files.survey("")).len(), 3, "by paths alone");
        assert_eq!(
            files.read(""),
            [
                "skill docx skills/docx: ab",
                "skill pdf skills/pdf: Reads PDF",
                "agent reviewer agents/reviewer.md: Reviews",
            ]
        );
        assert_eq!(
            files.read("skills/pdf"),
            ["skill pdf skills/pdf: Reads PDF"]
        );
        assert_eq!(files.read("skills").len(), 2);
    }

    #[test]
    fn the_root_may_be_a_skill_and_has_its_own_name() {
        let files = Files(
            vec![
                ("SKILL.md", "---\nname: my-skill\ndescription: d\n---\n"),
                ("scripts/run.sh", ""),
                ("references/a.md", "---\nname: a\ntools: b\n---\n"),
            ],
            "",
        );
        assert_eq!(rows(&files.survey("")), ["skill repo ."]);
        assert_eq!(files.read(""), ["skill my-skill .: d"]);
    }

    #[test]
    fn parts_belong_to_the_nearest_plugin() {
        let files = Files(
            vec![
                (
                    ".claude-plugin/marketplace.json",
                    r#"{"name":"m","plugins":[
                    {"name":"one","source":"./plugins/one","description":"from the list"},
                    {"name":"two","source":"./plugins/two","description":"Two"},
                    {"name":"far","source":{"source":"github","repo":"o/far"}}]}"#,
                ),
                (
                    "plugins/one/.claude-plugin/plugin.json",
                    r#"{"name":"one","description":"One"}"#,
                ),
                ("plugins/one/agents/a.md", ""),
                ("plugins/one/skills/s/SKILL.md", ""),
                ("plugins/one/.mcp.json", r#"{"mcpServers":{}}"#),
                ("plugins/two/commands/c.md", ""),
                ("agents/top.md", ""),
            ],
            "",
        );
        assert_eq!(
            files.read(""),
            [
                "plugin far .",
                "plugin one plugins/one: One",
                "plugin two plugins/two: Two",
                "skill s plugins/one/skills/s of one",
                "agent a plugins/one/agents/a.md of one",
                "agent top agents/top.md",
                "command c plugins/two/commands/c.md of two",
                "mcp-server one plugins/one/.mcp.json of one",
            ]
        );
        // Reached by their path, parts are their own candidates.
        assert_eq!(
            files.read("plugins/one/agents"),
            ["agent a plugins/one/agents/a.md"]
        );
        assert_eq!(
            files.survey("").files_to_read(ReadExtent::Manifests).len(),
            2
        );
    }

    #[test]
    fn a_marketplace_may_list_skills_that_are_in_no_directory_of_a_plugin() {
        let files = Files(
            vec![
                (
                    ".claude-plugin/marketplace.json",
                    r#"{"name":"m","plugins":[
                    {"name":"docs","source":"./","strict":false,"skills":["./skills/pdf"]},
                    {"name":"more","source":"./","strict":false,"skills":["./skills/art"]}]}"#,
                ),
                ("skills/pdf/SKILL.md", ""),
                ("skills/art/SKILL.md", ""),
                ("skills/own/SKILL.md", ""),
            ],
            "",
        );
        assert_eq!(
            files.read(""),
            [
                "plugin docs .",
                "plugin more .",
                "skill art skills/art of more",
                "skill own skills/own",
                "skill pdf skills/pdf of docs",
            ]
        );
    }

    #[test]
    fn an_agent_plugin_is_known_by_its_schema() {
        let files = Files(
            vec![
                (
                    "tools/plugin.json",
                    r#"{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"kit"}"#,
                ),
                ("tools/skills/s/SKILL.md", ""),
                ("other/plugin.json", r#"{"name":"gradle"}"#),
            ],
            "",
        );
        assert_eq!(
            files.read(""),
            ["plugin kit tools", "skill s tools/skills/s of kit"]
        );
    }

    #[test]
    fn a_plugin_of_several_catalogs_is_one_candidate() {
        let files = Files(
            vec![
                (
                    ".claude-plugin/marketplace.json",
                    r#"{"name":"m","plugins":[
                    {"name":"one","source":"./plugins/one"},
                    {"name":"alias","source":"./plugins/two","description":"Two"},
                    {"name":"far","source":{"source":"github","repo":"o/far"}}]}"#,
                ),
                (
                    ".agents/plugins/marketplace.json",
                    r#"{"name":"m","plugins":[
                    {"name":"one","source":{"source":"local","path":"./plugins/one"}},
                    {"name":"alias","source":{"source":"local","path":"./plugins/two"}},
                    {"name":"far","source":{"source":"url","url":"https://h/o/far"}}]}"#,
                ),
                (
                    "plugins/one/.claude-plugin/plugin.json",
                    r#"{"name":"one"}"#,
                ),
                (
                    "plugins/two/.claude-plugin/plugin.json",
                    r#"{"name":"two"}"#,
                ),
            ],
            "",
        );
        assert_eq!(
            files.read(""),
            [
                "plugin far .",
                "plugin one plugins/one",
                "plugin two plugins/two: Two"
            ]
        );
    }

    #[test]
    fn the_directories_around_a_root_name_types_too() {
        let found = |outer| {
            let files = Files(vec![("x.md", "# X\n"), ("sub/y.md", "# Y\n")], outer);
            files.read("")
        };
        assert_eq!(found("lib"), Vec::<String>::new());
        assert_eq!(found("lib/agents"), ["agent x x.md", "agent y sub/y.md"]);
        assert_eq!(found("agents/lib"), ["agent x x.md", "agent y sub/y.md"]);
    }

    #[test]
    fn content_decides_where_paths_say_nothing() {
        let files = Files(
            vec![
                (
                    "categories/core/api.md",
                    "---\nname: api\ndescription: d\ntools: Read\n---\n",
                ),
                ("categories/core/notes.md", "# Notes\n"),
                ("guard.json", r#"{"hooks":{"PreToolUse":[]}}"#),
                ("package.json", r#"{"command":"x"}"#),
                ("docs/a.md", "---\nname: a\ntools: Read\n---\n"),
            ],
            "",
        );
        assert_eq!(
            files.read(""),
            [
                "agent api categories/core/api.md: d",
                "hook guard guard.json"
            ]
        );
    }
}
