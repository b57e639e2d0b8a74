//! An OCI registry on the loopback, in memory, which misbehaves when a test tells it to.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use agpm_model::Checksum;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// What a registry does wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RegistryFault {
    /// Nothing.
    #[default]
    None,
    /// Answers requests whose path contains a text with a status, so many times.
    Status {
        /// The text.
        path: &'static str,
        /// The status.
        status: u16,
        /// `Retry-After`.
        retry_after: Option<&'static str>,
        /// How many times.
        times: usize,
    },
    /// Closes the connection in the middle of a blob.
    CutBlobs,
    /// Sends other bytes of the same size.
    ChangeBlobs,
    /// Says that blobs are shorter than they are, and sends that much.
    ShortBlobs,
    /// Never ends a blob.
    EndlessBlobs,
    /// Sends another manifest than the one with the digest.
    ChangeManifests,
    /// Sends manifests of more than 4 MiB.
    GiantManifests,
    /// Wants a token for every request, which it gives to anybody.
    AnyToken,
    /// Wants a token for every request, which only this user and password get.
    Token(&'static str),
    /// Wants this user and password, as `user:password` in base64.
    Basic(&'static str),
    /// Refuses every token that it gives.
    RefuseTokens,
    /// Sends clients to another server for blobs.
    RedirectBlobs(String),
    /// Redirects to itself, without end.
    RedirectForever,
}

/// A request as the registry got it.
#[derive(Clone, Debug)]
pub struct RegistryRequest {
    /// The method and the path, as in `GET /v2/`.
    pub line: String,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The bytes of its body.
    pub sent: usize,
}

#[derive(Default)]
struct Content {
    blobs: BTreeMap<String, Vec<u8>>,
    /// By repository and digest.
    manifests: BTreeMap<(String, String), (String, Vec<u8>)>,
    /// By repository and tag.
    tags: BTreeMap<(String, String), String>,
}

#[derive(Default)]
struct Shared {
    content: Mutex<Content>,
    fault: Mutex<RegistryFault>,
    requests: Mutex<Vec<RegistryRequest>>,
    ended: AtomicBool,
}

/// A registry, until it is dropped.
pub struct FakeRegistry {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// A layer of an artifact.
#[derive(Clone, Debug)]
pub struct FakeLayer {
    /// The media type.
    pub media_type: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// Annotations as JSON, such as `{"a": "b"}`.
    pub annotations: String,
}

impl FakeLayer {
    /// A layer without annotations.
    pub fn new(media_type: &str, bytes: Vec<u8>) -> Self {
        FakeLayer {
            media_type: media_type.to_owned(),
            bytes,
            annotations: "{}".to_owned(),
        }
    }
}

/// An entry of a tar archive: a path, a kind (`0` file, `1` hardlink, `2` symlink, `3` device, `5` directory), and its
/// content or target.
pub type TarEntry<'e> = (&'e str, char, &'e str);

/// A tar archive, which may have entries that no honest program writes.
pub fn tar_archive(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (path, kind, content) in entries {
        let mut header = vec![0_u8; 512];
        let is_file = *kind == '0';
        let size = if is_file { content.len() } else { 0 };
        let mut put = |at: usize, text: &str| {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        };
        put(0, path);
        put(
            100,
            if path.ends_with(".sh") {
                "0000755"
            } else {
                "0000644"
            },
        );
        put(108, "0000000");
        put(116, "0000000");
        put(124, &format!("{size:011o}"));
        put(136, "00000000000");
        put(148, "        ");
        put(156, &kind.to_string());
        if !is_file {
            put(157, content);
        }
        put(257, "ustar\0");
        put(263, "00");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        if is_file {
            archive.extend(content.as_bytes());
            archive.resize(archive.len().next_multiple_of(512), 0);
        }
    }
    archive.extend([0; 1024]);
    archive
}

/// The digest of content.
pub fn digest_of(bytes: &[u8]) -> String {
    Checksum::of(bytes).to_string()
}

impl FakeRegistry {
    /// Starts one on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.ended.load(Ordering::SeqCst) {
                    return;
                }
                let served = Arc::clone(&served);
                thread::spawn(move || serve(&stream, address, &served));
            }
        });
        FakeRegistry { address, shared }
    }

    /// Host and port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The URL of a repository.
    pub fn url(&self, repository: &str) -> String {
        format!("oci://{}/{repository}", self.address)
    }

    /// Lets it misbehave from now on.
    pub fn misbehave(&self, fault: RegistryFault) {
        *self.shared.fault.lock().unwrap() = fault;
    }

    /// The requests so far; they are forgotten.
    pub fn take_requests(&self) -> Vec<RegistryRequest> {
        std::mem::take(&mut self.shared.requests.lock().unwrap())
    }

    /// The names of the requests so far; they are forgotten.
    pub fn take_lines(&self) -> Vec<String> {
        let requests = self.take_requests().into_iter();
        requests.map(|request| request.line).collect()
    }

    /// Adds a blob, and returns its digest.
    pub fn add_blob(&self, bytes: &[u8]) -> String {
        let digest = digest_of(bytes);
        let mut content = self.shared.content.lock().unwrap();
        content.blobs.insert(digest.clone(), bytes.to_vec());
        digest
    }

    /// Adds a manifest or an index, and returns its digest.
    pub fn add_manifest(&self, repository: &str, tag: &str, text: &str) -> String {
        let digest = digest_of(text.as_bytes());
        let kind = if text.contains("\"manifests\"") {
            INDEX
        } else {
            MANIFEST
        };
        let mut content = self.shared.content.lock().unwrap();
        content.manifests.insert(
            (repository.to_owned(), digest.clone()),
            (kind.to_owned(), text.as_bytes().to_vec()),
        );
        if !tag.is_empty() {
            content
                .tags
                .insert((repository.to_owned(), tag.to_owned()), digest.clone());
        }
        digest
    }

    /// Adds an artifact under a tag, and returns the digest of its manifest. The types are those of the artifact, which
    /// may be empty, and of its configuration.
    pub fn add_artifact(
        &self,
        repository: &str,
        tag: &str,
        types: [&str; 2],
        layers: &[FakeLayer],
    ) -> String {
        let [artifact, config_type] = types;
        let config = self.add_blob(b"{}");
        let layers: Vec<String> = layers
            .iter()
            .map(|layer| {
                let digest = self.add_blob(&layer.bytes);
                format!(
                    "{{\"mediaType\":\"{}\",\"digest\":\"{digest}\",\"size\":{},\"annotations\":{}}}",
                    layer.media_type,
                    layer.bytes.len(),
                    layer.annotations
                )
            })
            .collect();
        let artifact = match artifact {
            "" => String::new(),
            artifact => format!("\"artifactType\":\"{artifact}\","),
        };
        let manifest = format!(
            "{{\"schemaVersion\":2,\"mediaType\":\"{MANIFEST}\",{artifact}\"config\":{{\"mediaType\":\"{config_type}\",\
             \"digest\":\"{config}\",\"size\":2}},\"layers\":[{}]}}",
            layers.join(",")
        );
        self.add_manifest(repository, tag, &manifest)
    }

    /// Removes a tag.
    pub fn remove_tag(&self, repository: &str, tag: &str) {
        let mut content = self.shared.content.lock().unwrap();
        content
            .tags
            .remove(&(repository.to_owned(), tag.to_owned()));
    }

    /// The manifest of a tag.
    pub fn manifest(&self, repository: &str, tag: &str) -> Option<String> {
        let content = self.shared.content.lock().unwrap();
        let digest = content.tags.get(&(repository.to_owned(), tag.to_owned()))?;
        let (_, bytes) = content
            .manifests
            .get(&(repository.to_owned(), digest.clone()))?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The content with a digest.
    pub fn blob(&self, digest: &str) -> Option<Vec<u8>> {
        self.shared
            .content
            .lock()
            .unwrap()
            .blobs
            .get(digest)
            .cloned()
    }
}

impl Drop for FakeRegistry {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

struct Request {
    method: String,
    path: String,
    authorization: Option<String>,
    body: Vec<u8>,
    content_type: String,
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// What of the body is sent, if not all of it.
    sent: Option<usize>,
    is_endless: bool,
}

impl Answer {
    fn of(status: u16) -> Self {
        Answer {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            sent: None,
            is_endless: false,
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn json(text: impl Into<String>) -> Self {
        let mut answer = Answer::of(200).with("Content-Type", "application/json");
        answer.body = text.into().into_bytes();
        answer
    }
}

fn serve(stream: &TcpStream, address: SocketAddr, shared: &Shared) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        shared.requests.lock().unwrap().push(RegistryRequest {
            line: format!("{} {}", request.method, request.path),
            authorization: request.authorization.clone(),
            sent: request.body.len(),
        });
        let answer = respond(&request, address, shared);
        let is_cut = answer.sent.is_some() || answer.is_endless;
        if write_answer(stream, &request, answer).is_err() || is_cut {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request {
        method,
        path,
        authorization: None,
        body: Vec::new(),
        content_type: String::new(),
    };
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => request.authorization = Some(value.to_owned()),
            "content-type" => request.content_type = value.to_owned(),
            _ => {}
        }
    }
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn write_answer(mut stream: &TcpStream, request: &Request, answer: Answer) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if answer.is_endless {
        head.push_str("Transfer-Encoding: chunked\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let chunk = vec![b'x'; 1 << 16];
        loop {
            stream.write_all(b"10000\r\n")?;
            stream.write_all(&chunk)?;
            stream.write_all(b"\r\n")?;
        }
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", answer.body.len()));
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        let sent = answer.sent.unwrap_or(answer.body.len());
        stream.write_all(&answer.body[..sent])?;
    }
    stream.flush()
}

fn respond(request: &Request, address: SocketAddr, shared: &Shared) -> Answer {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let fault = {
        let mut fault = shared.fault.lock().unwrap();
        if let RegistryFault::Status {
            path: text, times, ..
        } = &mut *fault
        {
            if !path.contains(*text) || *times == 0 {
                RegistryFault::None
            } else {
                *times -= 1;
                fault.clone()
            }
        } else {
            fault.clone()
        }
    };
    if path == "/token" {
        return token(request, &fault);
    }
    if let Some(refused) = refusal(request, address, &fault) {
        return refused;
    }
    if let RegistryFault::Status {
        status,
        retry_after,
        ..
    } = fault
    {
        let answer = Answer::of(status);
        return match retry_after {
            Some(seconds) => answer.with("Retry-After", seconds),
            None => answer,
        };
    }
    if fault == RegistryFault::RedirectForever && path.len() > 4 {
        return Answer::of(307).with("Location", request.path.clone());
    }
    let mut content = shared.content.lock().unwrap();
    let Some(rest) = path.strip_prefix("/v2/") else {
        return Answer::of(404);
    };
    if rest == "_catalog" {
        let names: std::collections::BTreeSet<&String> = content
            .tags
            .keys()
            .map(|(repository, _)| repository)
            .collect();
        let names: Vec<&String> = names.into_iter().collect();
        return Answer::json(format!("{{\"repositories\":{names:?}}}"));
    }
    if let Some(repository) = rest.strip_suffix("/tags/list") {
        return tag_list(repository, query, &content);
    }
    if let Some((repository, reference)) = rest.split_once("/manifests/") {
        return manifest(request, repository, reference, &fault, &mut content);
    }
    if let Some((repository, rest)) = rest.split_once("/blobs/uploads/") {
        return upload(request, repository, rest, query, &mut content);
    }
    if let Some((_, digest)) = rest.split_once("/blobs/") {
        return blob(request, digest, &fault, &content);
    }
    Answer::of(200)
}

fn token(request: &Request, fault: &RegistryFault) -> Answer {
    let given = request.authorization.as_deref();
    match fault {
        RegistryFault::Token(expected) if given != Some(&format!("Basic {expected}")) => {
            Answer::of(401)
        }
        _ => Answer::json("{\"token\":\"granted\"}"),
    }
}

fn refusal(request: &Request, address: SocketAddr, fault: &RegistryFault) -> Option<Answer> {
    let given = request.authorization.as_deref();
    let challenge = match fault {
        RegistryFault::AnyToken | RegistryFault::Token(_) => {
            if given == Some("Bearer granted") {
                return None;
            }
            format!("Bearer realm=\"http://{address}/token\",service=\"fake\"")
        }
        RegistryFault::RefuseTokens => {
            format!("Bearer realm=\"http://{address}/token\",service=\"fake\"")
        }
        RegistryFault::Basic(expected) => {
            if given == Some(&format!("Basic {expected}")) {
                return None;
            }
            "Basic realm=\"fake\"".to_owned()
        }
        _ => return None,
    };
    Some(Answer::of(401).with("WWW-Authenticate", challenge))
}

/// A page of two tags at a time, so pages are always followed.
fn tag_list(repository: &str, query: &str, content: &Content) -> Answer {
    let tags = content.tags.keys();
    let tags: Vec<&String> = tags
        .filter(|(name, _)| name == repository)
        .map(|(_, tag)| tag)
        .collect();
    if tags.is_empty() {
        return Answer::of(404);
    }
    let last = query.split('&').find_map(|part| part.strip_prefix("last="));
    let start = last.map_or(0, |last| {
        tags.iter().position(|tag| *tag == last).unwrap_or(0) + 1
    });
    let page: Vec<&String> = tags.iter().skip(start).take(2).copied().collect();
    let answer = Answer::json(format!("{{\"name\":\"{repository}\",\"tags\":{page:?}}}"));
    match page.last() {
        Some(last) if start + page.len() < tags.len() => {
            let link = format!("</v2/{repository}/tags/list?n=2&last={last}>; rel=\"next\"");
            answer.with("Link", link)
        }
        _ => answer,
    }
}

fn manifest(
    request: &Request,
    repository: &str,
    reference: &str,
    fault: &RegistryFault,
    content: &mut Content,
) -> Answer {
    if request.method == "PUT" {
        let digest = digest_of(&request.body);
        content.manifests.insert(
            (repository.to_owned(), digest.clone()),
            (request.content_type.clone(), request.body.clone()),
        );
        if !reference.starts_with("sha256:") {
            content
                .tags
                .insert((repository.to_owned(), reference.to_owned()), digest);
        }
        return Answer::of(201);
    }
    let key = (repository.to_owned(), reference.to_owned());
    let digest = content
        .tags
        .get(&key)
        .map_or(reference, String::as_str)
        .to_owned();
    let Some((kind, bytes)) = content
        .manifests
        .get(&(repository.to_owned(), digest.clone()))
    else {
        return Answer::of(404);
    };
    let mut answer = Answer::of(200)
        .with("Content-Type", kind.clone())
        .with("Docker-Content-Digest", digest);
    answer.body = bytes.clone();
    match fault {
        RegistryFault::ChangeManifests => answer.body.push(b' '),
        RegistryFault::GiantManifests => answer.body.resize((4 << 20) + 1, b' '),
        _ => {}
    }
    answer
}

fn upload(
    request: &Request,
    repository: &str,
    rest: &str,
    query: &str,
    content: &mut Content,
) -> Answer {
    if request.method == "POST" {
        return Answer::of(202).with(
            "Location",
            format!("/v2/{repository}/blobs/uploads/one?state=x"),
        );
    }
    let digest = query
        .split('&')
        .find_map(|part| part.strip_prefix("digest="));
    let digest = digest.unwrap_or_default().replace("%3A", ":");
    if rest != "one" || digest != digest_of(&request.body) {
        return Answer::of(400);
    }
    content.blobs.insert(digest, request.body.clone());
    Answer::of(201)
}

fn blob(request: &Request, digest: &str, fault: &RegistryFault, content: &Content) -> Answer {
    let Some(bytes) = content.blobs.get(digest) else {
        return Answer::of(404);
    };
    let mut answer = Answer::of(200);
    answer.body = bytes.clone();
    if request.method == "HEAD" {
        return answer;
    }
    match fault {
        RegistryFault::CutBlobs => answer.sent = Some(bytes.len() / 2),
        RegistryFault::ChangeBlobs => answer.body.iter_mut().for_each(|byte| *byte ^= 1),
        RegistryFault::ShortBlobs => answer.body.truncate(bytes.len() / 2),
        RegistryFault::EndlessBlobs => answer.is_endless = true,
        RegistryFault::RedirectBlobs(server) => {
            let location = format!("http://{server}/v2/storage/blobs/{digest}?signature=secret");
            return Answer::of(307).with("Location", location);
        }
        _ => {}
    }
    answer
}
