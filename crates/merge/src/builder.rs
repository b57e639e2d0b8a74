//! Layers in, merged files out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Combine, LayerFile, merge_files};
use agpm_diag::{Diagnostic, SourceMap, has_errors};
use agpm_model::{LayerName, RelativePath, Strategy};

use crate::effective::EffectiveFile;
use crate::error::EngineError;
use crate::finding::Finding;

/// The entry point of the library.
#[derive(Clone, Copy, Debug)]
pub struct Engine;

impl Engine {
    /// A merge of no layers yet, by the strategy `deep`: maps merge all the way down, lists and values are the highest
    /// layer's.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder().merge()?;
    /// assert_eq!(merged.files().count(), 0);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    pub fn builder() -> EngineBuilder<'static> {
        EngineBuilder {
            layers: Vec::new(),
            default: Ok(Strategy::default()),
            by_path: BTreeMap::new(),
            combine: None,
        }
    }
}

struct PendingLayer {
    name: String,
    files: Vec<(String, Vec<u8>)>,
}

/// A merge that is being described. Problems are reported by [`merge`](EngineBuilder::merge).
pub struct EngineBuilder<'c> {
    layers: Vec<PendingLayer>,
    default: Result<Strategy, EngineError>,
    by_path: BTreeMap<String, Strategy>,
    combine: Option<&'c dyn Combine>,
}

impl<'c> EngineBuilder<'c> {
    /// Adds a layer above those that were added before: its files, by path.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder()
    ///     .layer("org", [("a.yaml", "x: 1\n"), ("b.txt", "org\n")])
    ///     .layer("me", vec![("a.yaml".to_owned(), b"x: 2\n".to_vec())])
    ///     .merge()?;
    /// let paths: Vec<&str> = merged.files().map(|file| file.path().as_str()).collect();
    /// assert_eq!(paths, ["a.yaml", "b.txt"]);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    #[must_use]
    pub fn layer<P: Into<String>, B: Into<Vec<u8>>>(
        mut self,
        name: impl Into<String>,
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        let files = files.into_iter();
        self.layers.push(PendingLayer {
            name: name.into(),
            files: files
                .map(|(path, bytes)| (path.into(), bytes.into()))
                .collect(),
        });
        self
    }

    /// Merges by a built-in strategy: `deep`, `extend-lists`, `replace`, `smart-lists` and others.
    ///
    /// ```
    /// use agpm_merge::Engine;
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.json", r#"{"allow": ["ls"]}"#)])
    ///     .layer("me", [("a.json", r#"{"allow": ["cat"]}"#)])
    ///     .strategy("extend-lists")
    ///     .merge()?;
    /// let text = merged.file("a.json").expect("both have it").text()?;
    /// assert_eq!(text, r#"{"allow": ["ls", "cat"]}"#);
    ///
    /// assert!(Engine::builder().strategy("deeep").merge().is_err());
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    #[must_use]
    pub fn strategy(mut self, name: &str) -> Self {
        let unknown = || EngineError::UnknownStrategy {
            name: name.to_owned(),
        };
        self.default = Strategy::built_in(name).ok_or_else(unknown);
        self
    }

    /// Merges by your own strategy.
    ///
    /// ```
    /// use agpm_merge::{EmptyRule, Engine, PointerRule, Strategy};
    ///
    /// let rule = PointerRule {
    ///     pattern: "/servers".parse().expect("a pattern"),
    ///     operation: Some("by-key:id".parse().expect("an operation")),
    ///     empty: EmptyRule::default(),
    /// };
    /// let strategy = Strategy { rules: vec![rule], ..Strategy::default() };
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.json", r#"{"servers": [{"id": 1, "port": 80}]}"#)])
    ///     .layer("me", [("a.json", r#"{"servers": [{"id": 2}]}"#)])
    ///     .custom_strategy(strategy)
    ///     .merge()?;
    /// let file = merged.file("a.json").expect("both have it");
    /// assert_eq!(file.explain("/servers/1/id")?.layer.as_str(), "me");
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    #[must_use]
    pub fn custom_strategy(mut self, strategy: Strategy) -> Self {
        self.default = Ok(strategy);
        self
    }

    /// Merges one path by another strategy than the rest.
    ///
    /// ```
    /// use agpm_merge::{Engine, Strategy};
    ///
    /// let replace = Strategy::built_in("replace").expect("it is built in");
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.json", r#"{"x": 1}"#), ("b.json", r#"{"x": 1}"#)])
    ///     .layer("me", [("a.json", r#"{"y": 2}"#), ("b.json", r#"{"y": 2}"#)])
    ///     .strategy_for("b.json", replace)
    ///     .merge()?;
    /// let leaves = |path| merged.file(path).expect("both have it").leaves().count();
    /// assert_eq!((leaves("a.json"), leaves("b.json")), (2, 1));
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    #[must_use]
    pub fn strategy_for(mut self, path: impl Into<String>, strategy: Strategy) -> Self {
        self.by_path.insert(path.into(), strategy);
        self
    }

    /// Lets custom code choose where it wants to; see `examples/lists_by_id.rs`.
    ///
    /// ```
    /// use agpm_merge::{Combination, Combine, Engine, MergeOperation, MergePoint};
    ///
    /// /// What a lower layer says about `locked` stays.
    /// struct LockedKeys;
    ///
    /// impl Combine for LockedKeys {
    ///     fn combine(&self, place: &MergePoint<'_>) -> Option<Combination<'_>> {
    ///         let is_locked = place.pointer.to_string().ends_with("/locked");
    ///         is_locked.then_some(Combination::Operation(&MergeOperation::KeepLower))
    ///     }
    /// }
    ///
    /// let merged = Engine::builder()
    ///     .layer("team", [("a.json", r#"{"locked": 1, "free": 1}"#)])
    ///     .layer("me", [("a.json", r#"{"locked": 2, "free": 2}"#)])
    ///     .combine(&LockedKeys)
    ///     .merge()?;
    /// let text = merged.file("a.json").expect("both have it").text()?;
    /// assert_eq!(text, r#"{"locked": 1, "free": 2}"#);
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    #[must_use]
    pub fn combine<'o>(self, custom: &'o dyn Combine) -> EngineBuilder<'o>
    where
        'c: 'o,
    {
        EngineBuilder {
            combine: Some(custom),
            ..self
        }
    }

    /// Merges every path of every layer.
    ///
    /// # Errors
    ///
    /// Names and paths that cannot be, an unknown strategy, and all mistakes of all files at once.
    pub fn merge(self) -> Result<MergedLayers, EngineError> {
        let default = self.default?;
        let mut sources = SourceMap::default();
        let mut diagnostics = Vec::new();
        let mut names: Vec<LayerName> = Vec::new();
        let mut stacks: BTreeMap<RelativePath, Vec<LayerFile>> = BTreeMap::new();
        for PendingLayer { name, files } in self.layers {
            let name = new_name(name, &names)?;
            for (path, bytes) in files {
                let path = new_path(path)?;
                let (file, found) =
                    LayerFile::read(name.clone(), path.as_str(), bytes, &mut sources);
                diagnostics.extend(found);
                stacks.entry(path).or_default().push(file);
            }
            names.push(name);
        }
        refuse_errors(&diagnostics, &sources)?;
        let mut files = Vec::new();
        for (path, stack) in stacks {
            let strategy = self.by_path.get(path.as_str()).unwrap_or(&default);
            let merged = merge_files(stack, strategy, self.combine);
            let merged = merged.expect("a stack has at least one file");
            diagnostics.extend(merged.diagnostics.iter().cloned());
            files.push((path, merged));
        }
        refuse_errors(&diagnostics, &sources)?;
        let findings = diagnostics.iter().map(|one| Finding::of(one, &sources));
        let findings = findings.collect();
        let sources = Arc::new(sources);
        let files = files.into_iter();
        let files = files
            .map(|(path, merged)| EffectiveFile::new(path, merged, Arc::clone(&sources)))
            .collect();
        Ok(MergedLayers { files, findings })
    }
}

fn new_name(name: String, names: &[LayerName]) -> Result<LayerName, EngineError> {
    let refused = |name: String, why: String| EngineError::LayerName { name, why };
    match LayerName::new(&name) {
        Err(error) => Err(refused(name, error.to_string())),
        Ok(new) if names.contains(&new) => Err(refused(name, "another layer has it".to_owned())),
        Ok(new) => Ok(new),
    }
}

fn new_path(path: String) -> Result<RelativePath, EngineError> {
    RelativePath::new(&path).map_err(|error| EngineError::Path {
        path,
        why: error.to_string(),
    })
}

fn refuse_errors(diagnostics: &[Diagnostic], sources: &SourceMap) -> Result<(), EngineError> {
    if !has_errors(diagnostics) {
        return Ok(());
    }
    let findings = diagnostics.iter().map(|one| Finding::of(one, sources));
    Err(EngineError::Files {
        findings: findings.collect(),
    })
}

/// Every path of the layers, merged.
#[derive(Debug)]
pub struct MergedLayers {
    files: Vec<EffectiveFile>,
    findings: Vec<Finding>,
}

impl MergedLayers {
    /// The file at a path; nothing if no layer has it.
    ///
    /// ```
    /// # use agpm_merge::Engine;
    /// let merged = Engine::builder().layer("me", [("a.txt", "hello")]).merge()?;
    /// assert!(merged.file("a.txt").is_some());
    /// assert!(merged.file("b.txt").is_none());
    /// # Ok::<(), agpm_merge::EngineError>(())
    /// ```
    pub fn file(&self, path: &str) -> Option<&EffectiveFile> {
        self.files().find(|file| file.path().as_str() == path)
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = &EffectiveFile> {
        self.files.iter()
    }

    /// Findings that do not keep the files from being merged.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter()
    }
}
