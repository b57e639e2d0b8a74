//! Static sites, as `agpm publish --format site` writes them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use agpm_testkit::{digest_of, tar_archive};

use crate::project::{PROGRAM, Project};
use crate::{INSTALLED, skill_text};

/// A web server with files by path.
struct Site {
    address: SocketAddr,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let site = Site {
            address: listener.local_addr().unwrap(),
            files: Arc::default(),
            heads: Arc::default(),
        };
        let (files, heads) = (Arc::clone(&site.files), Arc::clone(&site.heads));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = String::new();
                let mut reader = BufReader::new(&stream);
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                heads.lock().unwrap().push(head.clone());
                let path = head.split_whitespace().nth(1).unwrap_or("/").to_owned();
                let found = files.lock().unwrap().get(&path).cloned();
                let status = if found.is_some() { "200 OK" } else { "404 X" };
                let body = found.unwrap_or_default();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes());
                let _ = stream.write_all(&body);
            }
        });
        site
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        self.files
            .lock()
            .unwrap()
            .insert(path.to_owned(), bytes.to_vec());
    }

    /// Serves skills: a name, a type, a URL and its content.
    fn serve(&self, skills: &[(&str, &str, &str, &[u8])]) {
        let mut entries = Vec::new();
        for (name, kind, url, bytes) in skills {
            self.put(&format!("/.well-known/agent-skills/{url}"), bytes);
            entries.push(format!(
                "{{\"name\":\"{name}\",\"type\":\"{kind}\",\"description\":\"x\",\"url\":\"{url}\",\"digest\":\"{}\"}}",
                digest_of(bytes)
            ));
        }
        let index = format!(
            "{{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":[{}]}}",
            entries.join(",")
        );
        self.put("/.well-known/agent-skills/index.json", index.as_bytes());
    }
}

#[test]
fn skills_of_a_site_are_added_and_follow_its_index() {
    let site = Site::start();
    let text = skill_text("pdf", "first");
    let archive = tar_archive(&[
        ("SKILL.md", '0', &skill_text("docx", "other")),
        ("x.txt", '0', "x"),
    ]);
    site.serve(&[
        ("pdf", "skill-md", "pdf/SKILL.md", text.as_bytes()),
        ("docx", "archive", "docx.tar.gz", &archive),
    ]);
    let project = Project::new();
    project.sandbox.write("project/agpm.toml", "");
    let output = project.good(&format!("browse {}", site.url()));
    assert!(output.stdout.contains("skills/docx"), "{output}");
    project.good(&format!("add {} pdf docx", site.url()));
    assert!(project.read(INSTALLED).contains("first"));
    assert!(project.exists(".claude/skills/docx/x.txt"));
    let heads = site.heads.lock().unwrap().join("");
    assert!(!heads.to_lowercase().contains("authorization"), "{heads}");

    let text = skill_text("pdf", "second");
    site.serve(&[
        ("pdf", "skill-md", "pdf/SKILL.md", text.as_bytes()),
        ("docx", "archive", "docx.tar.gz", &archive),
    ]);
    project.good("install");
    assert!(project.read(INSTALLED).contains("first"));
    project.good("update");
    assert!(project.read(INSTALLED).contains("second"));
    project.good("install --frozen --offline");
}

#[test]
fn faults_of_a_site_have_their_exit_codes() {
    let manifest = |site: &Site| {
        format!(
            "[sources]\nsite = \"{}\"\n[skills]\npdf = {{ source = \"site\", path = \"pdf\", version = \"latest\" }}\n",
            site.url()
        )
    };
    let site = Site::start();
    let project = Project::new();
    project.sandbox.write("project/agpm.toml", manifest(&site));
    project.refused("install", 3, &["no index of skills"]);
    let text = skill_text("pdf", "first");
    site.serve(&[("pdf", "skill-md", "pdf/SKILL.md", text.as_bytes())]);
    site.put("/.well-known/agent-skills/pdf/SKILL.md", b"changed");
    project.refused("install", 1, &["digest"]);
    let evil = tar_archive(&[("SKILL.md", '0', &text), ("../x", '0', "x")]);
    site.serve(&[("pdf", "archive", "pdf.tar.gz", &evil)]);
    project.refused("install", 6, &["leads out"]);
    site.put("/.well-known/agent-skills/index.json", b"{");
    project.refused("install", 1, &["not valid"]);
}

#[test]
fn a_library_is_published_as_a_site() {
    let project = Project::new();
    for (path, text) in [
        ("skills/pdf/SKILL.md", skill_text("pdf", "Reads PDF files")),
        (
            "skills/docx/SKILL.md",
            skill_text("docx", "Reads DOCX files"),
        ),
        ("skills/docx/more.txt", "more".to_owned()),
    ] {
        project.sandbox.write(&format!("library/{path}"), text);
    }
    let publish = || {
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("library"))
            .args(["publish", "../public", "--format", "site"]);
        let output = project.sandbox.output(command);
        assert_eq!(output.code, Some(0), "{output}");
    };
    publish();
    let root = project.sandbox.work().join("public");
    let read_all = || -> BTreeMap<PathBuf, Vec<u8>> {
        let directory = root.join(".well-known/agent-skills");
        let files = ["index.json", "pdf/SKILL.md", "docx.tar.gz"].map(|name| directory.join(name));
        files
            .into_iter()
            .map(|path| {
                let mut bytes = Vec::new();
                fs::File::open(&path)
                    .unwrap()
                    .read_to_end(&mut bytes)
                    .unwrap();
                (path, bytes)
            })
            .collect()
    };
    let first = read_all();
    publish();
    assert_eq!(read_all(), first);
    let site = Site::start();
    for (path, bytes) in first {
        let inner = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        site.put(&format!("/{inner}"), &bytes);
    }
    project.sandbox.write("project/agpm.toml", "");
    project.good(&format!("add {} docx", site.url()));
    assert!(project.exists(".claude/skills/docx/more.txt"));
}
