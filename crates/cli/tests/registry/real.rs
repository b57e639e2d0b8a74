//! Against Debian's `docker-registry` and `skopeo`, where both are installed: each is started on the loopback and ended
//! by the test.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use agpm_testkit::Repository;

use crate::project::{PROGRAM, Project};
use crate::{INSTALLED, skill_text};

/// A registry that keeps its content in a directory.
struct Distribution {
    directory: PathBuf,
    port: u16,
    child: Child,
}

impl Distribution {
    /// Starts one; `None` if it or skopeo is not installed.
    fn start(directory: &Path) -> Option<Self> {
        for program in ["docker-registry", "skopeo"] {
            let found = Command::new(program)
                .arg("--help")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if found.is_err() {
                eprintln!("skipped: {program} is not installed");
                return None;
            }
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        fs::create_dir_all(directory).unwrap();
        let config = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\n\
             http: {{addr: \"127.0.0.1:{port}\"}}\n",
            directory.join("data").display()
        );
        fs::write(directory.join("config.yml"), config).unwrap();
        let child = Self::run(directory);
        let registry = Distribution {
            directory: directory.to_owned(),
            port,
            child,
        };
        registry.wait();
        Some(registry)
    }

    fn run(directory: &Path) -> Child {
        Command::new("docker-registry")
            .arg("serve")
            .arg(directory.join("config.yml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn wait(&self) {
        for _ in 0..400 {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(25));
        }
        panic!("the registry does not start");
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn restart(&mut self) {
        self.child = Self::run(&self.directory);
        self.wait();
    }

    fn url(&self, repository: &str) -> String {
        format!("oci://127.0.0.1:{}/{repository}", self.port)
    }

    /// The files with the content of blobs that are larger than a manifest of a test.
    fn blobs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut pending = vec![self.directory.join("data/docker/registry/v2/blobs")];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap().flatten() {
                if entry.path().is_dir() {
                    pending.push(entry.path());
                } else if entry.file_name() == "data" {
                    found.push(entry.path());
                }
            }
        }
        found
    }
}

impl Drop for Distribution {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn skopeo(words: &[&str]) {
    let output = Command::new("skopeo").args(words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}\n{errors}");
}

fn command(project: &Project, directory: &str, words: &[&str]) -> Command {
    let mut command = project.sandbox.command(PROGRAM);
    command
        .current_dir(project.sandbox.work().join(directory))
        .args(words);
    command
}

/// The line of the lockfile with the digest.
fn locked(project: &Project) -> String {
    let lock = project.read("agpm.lock");
    let line = lock
        .lines()
        .find(|line| line.starts_with("resolved_commit"));
    line.unwrap_or_default().to_owned()
}

#[test]
fn a_real_registry_and_skopeo_agree_with_us() {
    let project = Project::new();
    let directory = project.sandbox.work().join("registry");
    let Some(mut registry) = Distribution::start(&directory) else {
        return;
    };
    let mut repository = Repository::init(&project.sandbox, "library");
    repository.commit(&[
        ("skills/pdf/SKILL.md", &skill_text("pdf", "Reads PDF files")),
        (
            "skills/docx/SKILL.md",
            &skill_text("docx", "Reads DOCX files"),
        ),
    ]);
    repository.tag("v1.0.0");
    let url = registry.url("agents/library");
    let run = |directory: &str, words: &[&str], code: i32| {
        let output = project.sandbox.output(command(&project, directory, words));
        assert_eq!(output.code, Some(code), "{words:?}\n{output}");
        output
    };
    run("library", &["publish", &url], 0);
    let again = run("library", &["publish", &url], 0);
    assert!(again.stdout.contains("same content"), "{again}");

    let manifest = |source: &str| {
        format!(
            "[sources]\ncorp = \"{source}\"\n[skills]\npdf = {{ source = \"corp\", path = \"skills/pdf\", version = \"^1\" }}\n"
        )
    };
    project.write("agpm.toml", &manifest(&url));
    run("project", &["install"], 0);
    assert!(project.read(INSTALLED).contains("Reads PDF files"));
    let digest = locked(&project);

    // A copy that skopeo makes has the same digest, in a layout and in another repository.
    let image = format!("docker://127.0.0.1:{}/agents/library:1.0.0", registry.port);
    let copy = project.sandbox.work().join("copy");
    let layout = format!("oci:{}:1.0.0", copy.display());
    skopeo(&["copy", "--src-tls-verify=false", &image, &layout]);
    let other = format!("docker://127.0.0.1:{}/other/library:1.0.0", registry.port);
    skopeo(&["copy", "--dest-tls-verify=false", &layout, &other]);
    skopeo(&["inspect", "--raw", "--tls-verify=false", &other]);
    for source in ["oci-layout:../copy", &registry.url("other/library")] {
        fs::remove_file(project.sandbox.work().join("project/agpm.lock")).unwrap();
        project.write("agpm.toml", &manifest(source));
        run("project", &["install"], 0);
        assert_eq!(locked(&project), digest);
    }

    // Content that was changed on the disk of the registry is not installed.
    fs::remove_file(project.sandbox.work().join("project/agpm.lock")).unwrap();
    project.write("agpm.toml", &manifest(&url));
    run("project", &["install"], 0);
    let installed = project.sandbox.work().join("project/.claude");
    let cold = |name: &str| {
        format!(
            "--cache-dir={}",
            project.sandbox.work().join(name).display()
        )
    };
    let saved: Vec<(PathBuf, Vec<u8>)> = registry
        .blobs()
        .into_iter()
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect();
    for (path, bytes) in &saved {
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 1;
        fs::write(path, changed).unwrap();
    }
    fs::remove_dir_all(&installed).unwrap();
    let output = project.sandbox.output(command(
        &project,
        "project",
        &["install", "--frozen", &cold("first")],
    ));
    assert!(matches!(output.code, Some(1 | 4)), "{output}");
    assert!(!installed.exists());
    for (path, bytes) in &saved {
        fs::write(path, bytes).unwrap();
    }
    run("project", &["install", "--frozen", &cold("first")], 0);

    // Without the registry, the cache is enough, and nothing else is.
    registry.kill();
    fs::remove_dir_all(&installed).unwrap();
    run("project", &["install", "--frozen", &cold("second")], 4);
    run("project", &["install", "--frozen", &cold("first")], 0);
    registry.restart();
}

#[test]
fn a_registry_that_ends_in_the_middle_has_no_half_version() {
    let project = Project::new();
    let directory = project.sandbox.work().join("registry");
    let Some(mut registry) = Distribution::start(&directory) else {
        return;
    };
    let files: Vec<(String, String)> = (0..200)
        .map(|number| {
            let name = format!("s{number:03}");
            (
                format!("skills/{name}/SKILL.md"),
                skill_text(&name, "words"),
            )
        })
        .collect();
    for (path, text) in &files {
        project.sandbox.write(&format!("library/{path}"), text);
    }
    let url = registry.url("big/library");
    let words = ["publish", url.as_str(), "--version", "1.0.0"];
    let mut publishing = command(&project, "library", &words);
    let mut publishing = publishing
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let blobs = directory.join("data/docker/registry/v2/blobs");
    for _ in 0..2000 {
        if blobs.exists() && registry.blobs().len() > 20 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    registry.kill();
    let code = publishing.wait().unwrap().code();
    registry.restart();
    project.write("agpm.toml", &format!("[sources]\nbig = \"{url}\"\n"));
    if code == Some(0) {
        eprintln!("everything was sent before the registry ended");
    } else {
        assert_eq!(code, Some(4));
        let output = project.run(&format!("browse {url}"));
        assert_eq!(output.code, Some(3), "{output}");
    }
    let output = project.sandbox.output(command(&project, "library", &words));
    assert_eq!(output.code, Some(0), "{output}");

    project.write(
        "agpm.toml",
        &format!("[sources]\nbig = \"{url}\"\n[skills]\nall = {{ source = \"big\", path = \"skills/*\", version = \"^1\" }}\n"),
    );
    let mut installing = command(&project, "project", &["install"]);
    let mut installing = installing
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(150));
    registry.kill();
    let code = installing.wait().unwrap().code();
    if code != Some(0) {
        assert_eq!(code, Some(4));
        assert!(!project.exists(".claude") && !project.exists("agpm.lock"));
    }
    registry.restart();
    project.good("install");
    assert!(project.exists(".claude/skills/s199/SKILL.md"));
}
