//! Sandbox manifests: bottles that extend each other, and agents that run in them.
//!
//! For programs that start sandboxes. Both entry points load raw units and then go one way: check every key and type
//! against a table, follow `extends` on the raw documents, make typed values, lay the agent over its bottle. All mistakes
//! of all files are reported together. Nothing is written, and home is passed in.
//!
//! | module | is for |
//! |---|---|
//! | `loader` | raw units out of one JSON object or directories of Markdown files; alone in touching files |
//! | `schema`, `check`, `json_schema` | which keys there are, in one table each, and what is made of the tables |
//! | `extends` | the order of bottles and the policy by which they compose |
//! | `overlay` | an agent over its bottle |
//! | `model` | typed values |
//! | `manifest` | the path from units to values |
//! | `report` | lists and single units as people and programs read them |
//!
//! # One JSON object
//!
//! ```
//! use agpm_bottle::Manifest;
//!
//! let manifest = Manifest::from_json_obj(
//!     "sandboxes.json",
//!     r#"{
//!         "bottles": {
//!             "base": {"image": "debian:13", "env": {"LANG": "C.UTF-8", "EDITOR": "vi"}},
//!             "rust": {"extends": "base", "env": {"EDITOR": "hx"}}
//!         },
//!         "agents": {"reviewer": {"bottle": "rust", "skills": ["review"], "prompt": "Review the change."}}
//!     }"#,
//! )?;
//! let rust = manifest.bottle("rust").expect("it is there");
//! assert_eq!(rust.image.as_deref(), Some("debian:13"));
//! assert_eq!((rust.env["LANG"].as_str(), rust.env["EDITOR"].as_str()), ("C.UTF-8", "hx"));
//! let reviewer = manifest.effective_agent("reviewer").expect("it is there");
//! assert_eq!((reviewer.bottle, reviewer.prompt.as_str()), (rust, "Review the change."));
//! # Ok::<(), agpm_bottle::ManifestError>(())
//! ```
//!
//! # Directories of Markdown files
//!
//! ```
//! use agpm_bottle::Manifest;
//!
//! # let sandbox = agpm_testkit::Sandbox::new("agpm");
//! # let (home, project) = (sandbox.home(), sandbox.work());
//! # let write = |path: &str, text: &str| sandbox.write(path, text);
//! write("~/.bot-bottle/bottles/base.md", "---\nimage: debian:13\n---\n");
//! write("~/.bot-bottle/agents/reviewer.md", "---\nbottle: base\n---\nReview the change.\n");
//! // An agent of the project stands for the one of the same name in home; bottles of a project are ignored.
//! write(".bot-bottle/agents/reviewer.md", "---\nbottle: base\n---\nReview the change, and its tests.\n");
//!
//! let manifest = Manifest::from_md_dirs(&home, &project)?;
//! let reviewer = manifest.effective_agent("reviewer").expect("it is there");
//! assert_eq!(reviewer.bottle.image.as_deref(), Some("debian:13"));
//! assert_eq!(reviewer.prompt, "Review the change, and its tests.");
//! # Ok::<(), agpm_bottle::ManifestError>(())
//! ```
//!
//! # Mistakes
//!
//! ```
//! use agpm_bottle::Manifest;
//!
//! let text = r#"{"bottles": {"a": {"extends": "b", "imgae": "x"}, "b": {"extends": "a", "env": {"PORT": 80}}}}"#;
//! let error = Manifest::from_json_obj("sandboxes.json", text).expect_err("three mistakes");
//! assert_eq!(
//!     error.to_string(),
//!     "error[bottle/unknown-key]: a bottle has no key `imgae` (sandboxes.json:1)\n\
//!      error[bottle/extends]: bottles extend each other in a cycle: a -> b -> a (sandboxes.json:1)\n\
//!      error[bottle/value]: `/env/PORT` must be a string, not a number (sandboxes.json:1)"
//! );
//! ```

mod check;
mod extends;
mod json_schema;
mod kind;
mod loader;
mod manifest;
mod model;
mod name;
mod overlay;
mod report;
mod schema;
mod unit;

pub use extends::policy;
pub use json_schema::{file_schema, json_schema};
pub use kind::UnitKind;
pub use manifest::{Manifest, ManifestError};
pub use model::{
    Agent, AgentProvider, AuthKind, Bottle, EffectiveAgent, EgressAuth, EgressConfig, EgressRoute,
    GitEntry, GitUser, PipelockRoutePolicy,
};
pub use name::BottleName;
pub use report::{AgentRow, BottleList, BottleRow, BottleValue, BottleView};
pub use schema::CLAUDE_CODE;
