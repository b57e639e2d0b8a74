//! The distribution API of OCI registries.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agpm_model::{Checksum, Revision, SourceAddress};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use ureq::http::{Method, StatusCode};
use url::Url;

use super::content::ContentStore;
use super::manifest::{ACCEPTED, Descriptor};
use crate::SourceError;
use crate::git::NetworkAccess;
use crate::http::{
    Challenge, Credential, CredentialFailure, HttpAnswer, HttpClient, HttpFailure, HttpRequest,
    HttpServer, ReadFailure, find_credential, printable, read_challenges,
};
use crate::transfer::{Transfer, TransferProgress};

/// The limit that registries agree on for manifests.
pub(crate) const LARGEST_MANIFEST: u64 = 4 << 20;
/// More than any answer with a token or the text of an error.
const LARGEST_ANSWER: u64 = 1 << 20;
/// One page of tags or repositories.
const LARGEST_PAGE: u64 = 16 << 20;
const MOST_PAGES: usize = 1000;
const PAGE: &str = "1000";
/// Docker Hub is known by a name that has no registry.
const HUB: &str = "docker.io";
const HUB_SERVER: &str = "registry-1.docker.io";

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RegistryAccess {
    Pull,
    Push,
    /// The list of repositories.
    Catalog,
}

/// One repository of a registry.
#[derive(Debug)]
pub(crate) struct RegistryClient {
    label: String,
    repository: String,
    http: Arc<HttpClient>,
    network: NetworkAccess,
    credential_files: Vec<PathBuf>,
    /// The header of each access that was granted.
    granted: Mutex<BTreeMap<RegistryAccess, String>>,
    progress: Option<Arc<dyn TransferProgress>>,
}

/// What a client needs besides its URL.
#[derive(Clone, Debug)]
pub(crate) struct ClientSettings {
    pub(crate) network: NetworkAccess,
    /// Files with credentials, in the order in which they are searched.
    pub(crate) credential_files: Vec<PathBuf>,
    pub(crate) progress: Option<Arc<dyn TransferProgress>>,
}

/// A document with a digest, as it is sent and read.
pub(crate) struct StoredManifest {
    pub(crate) digest: Revision,
    pub(crate) bytes: Vec<u8>,
}

impl RegistryClient {
    /// Opens the repository of a URL without contacting it; `None` if it is not one of a registry.
    pub(crate) fn open(address: &SourceAddress, settings: ClientSettings) -> Option<Self> {
        let server = address.server().filter(|server| server.scheme == "oci")?;
        let host = match server.host {
            HUB => HUB_SERVER,
            host => host,
        };
        let repository = server.path.trim_start_matches('/').to_owned();
        let repository = match server.host {
            HUB if !repository.contains('/') => format!("library/{repository}"),
            _ => repository,
        };
        let server = HttpServer::new(host, server.port, server.encryption);
        Some(RegistryClient {
            label: address.redacted().to_owned(),
            repository,
            http: Arc::new(HttpClient::new(server)),
            network: settings.network,
            credential_files: settings.credential_files,
            granted: Mutex::default(),
            progress: settings.progress,
        })
    }

    fn url(&self, tail: &str) -> Result<Url, SourceError> {
        let base = self.http.server().base();
        let url = format!("{base}/v2/{}/{tail}", self.repository.trim_end_matches('/'));
        Url::parse(&url).map_err(|error| SourceError::Broken(format!("`{url}`: {error}")))
    }

    fn refuse_offline(&self) -> Result<(), SourceError> {
        match self.network {
            NetworkAccess::Allowed => Ok(()),
            NetworkAccess::Offline => Err(SourceError::Offline(format!(
                "`{}` is not in the cache, and network access is disabled",
                self.label
            ))),
        }
    }

    /// Sends a request with the token for an access. The registry is asked without one first, because it says itself
    /// where tokens are from.
    pub(crate) fn send(
        &self,
        access: RegistryAccess,
        mut request: HttpRequest<'_>,
    ) -> Result<HttpAnswer, SourceError> {
        self.refuse_offline()?;
        // An upload may be continued on another server, which gets no token.
        let is_own = self
            .url("")
            .is_ok_and(|own| own.origin() == request.url.origin());
        if is_own {
            request.authorization = self.grant(access);
        }
        let answer = self
            .http
            .send(&request)
            .map_err(|error| self.failure(&error))?;
        if answer.status != StatusCode::UNAUTHORIZED || !is_own {
            return Ok(answer);
        }
        // The first answer may have shown that the server wants encryption.
        if let Ok(own) = self.url("") {
            let _ = request.url.set_scheme(own.scheme());
        }
        let had_token = request.authorization.is_some();
        request.authorization = Some(self.authorize(access, answer)?);
        let answer = self
            .http
            .send(&request)
            .map_err(|error| self.failure(&error))?;
        if answer.status == StatusCode::UNAUTHORIZED {
            self.locked_grants().remove(&access);
            let reason = if had_token {
                "the token was refused"
            } else {
                "the credentials were refused"
            };
            return Err(self.auth_refused(reason));
        }
        Ok(answer)
    }

    fn locked_grants(&self) -> std::sync::MutexGuard<'_, BTreeMap<RegistryAccess, String>> {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The header that was granted before; a token for pushing is also one for pulling.
    fn grant(&self, access: RegistryAccess) -> Option<String> {
        let granted = self.locked_grants();
        let broader = (access == RegistryAccess::Pull).then_some(RegistryAccess::Push);
        let found = granted.get(&access).or_else(|| granted.get(&broader?));
        found.cloned()
    }

    /// Obtains the header that an answer wants.
    fn authorize(
        &self,
        access: RegistryAccess,
        refused: HttpAnswer,
    ) -> Result<String, SourceError> {
        let headers = refused.headers.get_all("www-authenticate").iter();
        let challenges: Vec<Challenge> = headers
            .filter_map(|header| header.to_str().ok())
            .flat_map(read_challenges)
            .collect();
        let server = match self.http.server().authority() {
            hub if hub == HUB_SERVER => HUB.to_owned(),
            server => server,
        };
        let credential = find_credential(&self.credential_files, &server, &self.repository);
        let credential = credential.map_err(|error| self.credential_failure(&error))?;
        for challenge in &challenges {
            let header = match (challenge, &credential) {
                (
                    Challenge::Bearer {
                        realm,
                        service,
                        scope,
                    },
                    _,
                ) => {
                    let token = TokenRequest {
                        realm,
                        service: service.as_deref(),
                        scope: self.scope(access, scope.as_deref()),
                    };
                    format!(
                        "Bearer {}",
                        self.request_token(&token, credential.as_ref())?
                    )
                }
                (Challenge::Basic, Some(Credential::Password { user, password })) => {
                    basic_header(user, password)
                }
                (Challenge::Basic, _) => continue,
            };
            self.locked_grants().insert(access, header.clone());
            return Ok(header);
        }
        Err(self.auth_refused("it requires a login"))
    }

    fn scope(&self, access: RegistryAccess, challenged: Option<&str>) -> String {
        let own = match access {
            RegistryAccess::Pull => format!("repository:{}:pull", self.repository),
            RegistryAccess::Push => format!("repository:{}:pull,push", self.repository),
            RegistryAccess::Catalog => "registry:catalog:*".to_owned(),
        };
        // The registry knows best, but a first request to push may be challenged for less.
        match challenged {
            Some(challenged) if access != RegistryAccess::Push => challenged.to_owned(),
            _ => own,
        }
    }

    fn request_token(
        &self,
        wanted: &TokenRequest<'_>,
        credential: Option<&Credential>,
    ) -> Result<String, SourceError> {
        let url = Url::parse(wanted.realm)
            .map_err(|_| self.auth_refused("its server of tokens is not a URL"))?;
        let form: Vec<u8>;
        let mut request = HttpRequest::get(url);
        match credential {
            Some(Credential::RefreshToken(token)) => {
                let mut body = url::form_urlencoded::Serializer::new(String::new());
                body.append_pair("grant_type", "refresh_token");
                body.append_pair("service", wanted.service.unwrap_or_default());
                body.append_pair("client_id", "agpm");
                body.append_pair("scope", &wanted.scope);
                body.append_pair("refresh_token", token);
                form = body.finish().into_bytes();
                request.method = Method::POST;
                request.body = Some(&form);
                request.headers.push((
                    "content-type",
                    "application/x-www-form-urlencoded".to_owned(),
                ));
            }
            other => {
                let mut query = request.url.query_pairs_mut();
                if let Some(service) = wanted.service {
                    query.append_pair("service", service);
                }
                query.append_pair("scope", &wanted.scope);
                drop(query);
                if let Some(Credential::Password { user, password }) = other {
                    request.authorization = Some(basic_header(user, password));
                }
            }
        }
        let mut answer = self
            .http
            .send(&request)
            .map_err(|error| self.failure(&error))?;
        if !answer.status.is_success() {
            let reason = format!("its server of tokens answered {}", answer.status.as_u16());
            return Err(match answer.status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.auth_refused(&reason),
                _ => self.unreachable(&reason),
            });
        }
        let bytes = answer.read(LARGEST_ANSWER);
        let bytes = bytes.map_err(|error| self.read_failure("the token", &error))?;
        let token: TokenAnswer = serde_json::from_slice(&bytes)
            .map_err(|_| self.auth_refused("its server of tokens sent no token"))?;
        let token = token.token.or(token.access_token);
        token
            .filter(|token| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()))
            .ok_or_else(|| self.auth_refused("its server of tokens sent no token"))
    }

    /// Reads all pages of a list.
    fn pages(
        &self,
        access: RegistryAccess,
        first: Url,
    ) -> Result<Option<Vec<Vec<u8>>>, SourceError> {
        let _transfer = Transfer::begin(self.progress.clone(), &self.label, None);
        let mut next = Some(first);
        let mut pages = Vec::new();
        while let Some(url) = next.take() {
            if pages.len() >= MOST_PAGES {
                return Err(self.invalid("its list does not end"));
            }
            let mut answer = self.send(access, HttpRequest::get(url))?;
            if answer.status == StatusCode::NOT_FOUND && pages.is_empty() {
                return Ok(None);
            }
            let answer = self.require_success(&mut answer)?;
            next = answer.header("link").and_then(next_page).and_then(|link| {
                let next = answer.url.join(link).ok()?;
                // Another server would be sent the token.
                Some(next).filter(|next| next.origin() == answer.url.origin())
            });
            let page = answer.read(LARGEST_PAGE);
            pages.push(page.map_err(|error| self.read_failure("its list", &error))?);
        }
        Ok(Some(pages))
    }

    /// Returns whether the registry has a blob.
    pub(crate) fn has_blob(&self, digest: &Revision) -> Result<bool, SourceError> {
        let mut request = HttpRequest::get(self.url(&format!("blobs/{digest}"))?);
        request.method = Method::HEAD;
        let mut answer = self.send(RegistryAccess::Push, request)?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(false);
        }
        self.require_success(&mut answer).map(|_| true)
    }

    /// Sends a blob, unless the registry has it; returns whether it was sent.
    pub(crate) fn push_blob(&self, bytes: &[u8]) -> Result<bool, SourceError> {
        let digest = Revision::from(Checksum::of(bytes));
        if self.has_blob(&digest)? {
            return Ok(false);
        }
        let transfer = Transfer::begin(self.progress.clone(), &self.label, Some(1));
        let mut start = HttpRequest::get(self.url("blobs/uploads/")?);
        start.method = Method::POST;
        let mut answer = self.send(RegistryAccess::Push, start)?;
        let answer = self.require_success(&mut answer)?;
        let location = answer
            .header("location")
            .and_then(|to| answer.url.join(to).ok());
        let mut location =
            location.ok_or_else(|| self.invalid("it does not say where to send content"))?;
        location
            .query_pairs_mut()
            .append_pair("digest", digest.as_str());
        let mut upload = HttpRequest::get(location);
        upload.method = Method::PUT;
        upload.body = Some(bytes);
        upload
            .headers
            .push(("content-type", "application/octet-stream".to_owned()));
        let mut answer = self.send(RegistryAccess::Push, upload)?;
        self.require_success(&mut answer)?;
        transfer.report(bytes.len() as u64);
        Ok(true)
    }

    /// Sends a manifest under a tag.
    pub(crate) fn push_manifest(
        &self,
        tag: &str,
        media_type: &str,
        bytes: &[u8],
    ) -> Result<(), SourceError> {
        let mut request = HttpRequest::get(self.url(&format!("manifests/{tag}"))?);
        request.method = Method::PUT;
        request.body = Some(bytes);
        request
            .headers
            .push(("content-type", media_type.to_owned()));
        let mut answer = self.send(RegistryAccess::Push, request)?;
        self.require_success(&mut answer).map(drop)
    }

    /// Returns the document under a tag or digest; `None` if there is none.
    pub(crate) fn find_manifest(
        &self,
        reference: &str,
    ) -> Result<Option<StoredManifest>, SourceError> {
        let _transfer = Transfer::begin(self.progress.clone(), &self.label, None);
        let mut request = HttpRequest::get(self.url(&format!("manifests/{reference}"))?);
        request.headers.push(("accept", ACCEPTED.join(", ")));
        let mut answer = self.send(RegistryAccess::Pull, request)?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let answer = self.require_success(&mut answer)?;
        let bytes = answer.read(LARGEST_MANIFEST);
        let bytes = bytes.map_err(|error| self.read_failure("the manifest", &error))?;
        let digest = Revision::from(Checksum::of(&bytes));
        Ok(Some(StoredManifest { digest, bytes }))
    }

    /// Fails unless an answer is a success.
    fn require_success<'a>(
        &self,
        answer: &'a mut HttpAnswer,
    ) -> Result<&'a mut HttpAnswer, SourceError> {
        let status = answer.status;
        if status.is_success() {
            return Ok(answer);
        }
        let said = answer.read(LARGEST_ANSWER).unwrap_or_default();
        let said = error_text(&said).map(|said| format!(": {said}"));
        let reason = format!(
            "it answered {}{}",
            status.as_u16(),
            said.unwrap_or_default()
        );
        Err(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.auth_refused(&reason),
            StatusCode::NOT_FOUND => self.no_such_source(),
            StatusCode::TOO_MANY_REQUESTS => self.unreachable(&reason),
            status if status.is_server_error() => self.unreachable(&reason),
            _ => self.invalid(&reason),
        })
    }

    fn no_such_source(&self) -> SourceError {
        SourceError::NoSuchSource {
            message: format!("no repository at `{}`", self.label),
            help: "check the URL, and that you may read it: registries hide repositories"
                .to_owned(),
        }
    }

    fn auth_refused(&self, reason: &str) -> SourceError {
        let server = self.http.server().authority();
        SourceError::AuthRefused {
            address: self.label.clone(),
            message: format!("`{}` refused access: {reason}", self.label),
            help: format!("log in with `docker login {server}` or `podman login {server}`"),
        }
    }

    fn credential_failure(&self, error: &CredentialFailure) -> SourceError {
        self.auth_refused(&error.to_string())
    }

    fn unreachable(&self, reason: &str) -> SourceError {
        SourceError::Unreachable(format!("`{}`: {reason}", self.label))
    }

    fn invalid(&self, reason: &str) -> SourceError {
        SourceError::Invalid(format!("`{}`: {reason}", self.label))
    }

    fn failure(&self, error: &HttpFailure) -> SourceError {
        match error {
            HttpFailure::Unreachable(reason) => SourceError::Unreachable(reason.clone()),
            HttpFailure::Plain(_) => SourceError::Hostile(error.to_string()),
            HttpFailure::Redirects(_) | HttpFailure::BadRedirect(_) => {
                self.invalid(&error.to_string())
            }
        }
    }

    fn read_failure(&self, what: &str, error: &ReadFailure) -> SourceError {
        match error {
            ReadFailure::Unreachable(reason) => self.unreachable(&format!("{what}: {reason}")),
            other => self.invalid(&format!("{what}: {other}")),
        }
    }
}

impl ContentStore for RegistryClient {
    fn label(&self) -> &str {
        &self.label
    }

    fn tags(&self) -> Result<Vec<String>, SourceError> {
        #[derive(Deserialize)]
        struct TagList {
            // Some registries write `null` for a repository whose last tag was removed.
            tags: Option<Vec<String>>,
        }
        let mut url = self.url("tags/list")?;
        url.query_pairs_mut().append_pair("n", PAGE);
        let pages = self.pages(RegistryAccess::Pull, url)?;
        let mut tags = Vec::new();
        for page in pages.ok_or_else(|| self.no_such_source())? {
            let page: TagList = serde_json::from_slice(&page).map_err(|error| {
                self.invalid(&format!("its list of tags is not valid: {error}"))
            })?;
            tags.extend(page.tags.unwrap_or_default());
        }
        Ok(tags)
    }

    fn digest_of(&self, tag: &str) -> Result<Revision, SourceError> {
        let mut request = HttpRequest::get(self.url(&format!("manifests/{tag}"))?);
        request.method = Method::HEAD;
        request.headers.push(("accept", ACCEPTED.join(", ")));
        let mut answer = self.send(RegistryAccess::Pull, request)?;
        let answer = match answer.status {
            StatusCode::NOT_FOUND => return Err(self.no_such_tag(tag)),
            _ => self.require_success(&mut answer)?,
        };
        let stated = answer.header("docker-content-digest");
        let stated = stated.filter(|stated| stated.starts_with("sha256:"));
        if let Some(digest) = stated.and_then(|stated| stated.parse().ok()) {
            return Ok(digest);
        }
        // The header is optional, so the document itself is what is left.
        let found = self.find_manifest(tag)?;
        found
            .map(|found| found.digest)
            .ok_or_else(|| self.no_such_tag(tag))
    }

    fn manifest(&self, digest: &Revision) -> Result<Vec<u8>, SourceError> {
        let found = self.find_manifest(digest.as_str())?.ok_or_else(|| {
            SourceError::NoSuchRevision(format!("`{}` has no manifest {digest}", self.label))
        })?;
        if found.digest != *digest {
            return Err(self.invalid(&format!(
                "the manifest {digest} has the digest {}",
                found.digest
            )));
        }
        Ok(found.bytes)
    }

    fn blob(
        &self,
        blob: &Descriptor,
        receive: &mut dyn FnMut(&mut dyn Read) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let transfer = Transfer::begin(self.progress.clone(), &self.label, None);
        let request = HttpRequest::get(self.url(&format!("blobs/{}", blob.digest))?);
        let mut answer = self.send(RegistryAccess::Pull, request)?;
        if answer.status == StatusCode::NOT_FOUND {
            return Err(self.invalid(&format!("it lost the content {}", printable(&blob.digest))));
        }
        let answer = self.require_success(&mut answer)?;
        receive(&mut transfer.reading(answer.reader()))
    }

    fn sibling(&self, reference: &str) -> Option<Box<dyn ContentStore>> {
        let server = self.http.server().authority();
        let path = reference.strip_prefix(&server)?.strip_prefix('/')?;
        let path = path.split(['@', ':']).next()?;
        Some(Box::new(RegistryClient {
            label: format!("oci://{server}/{path}"),
            repository: path.to_owned(),
            http: Arc::clone(&self.http),
            network: self.network,
            credential_files: self.credential_files.clone(),
            granted: Mutex::default(),
            progress: self.progress.clone(),
        }))
    }

    fn is_out_of_reach(&self) -> bool {
        self.network == NetworkAccess::Offline
    }

    fn repositories(&self) -> Result<Option<Vec<String>>, SourceError> {
        #[derive(Deserialize)]
        struct Catalog {
            repositories: Option<Vec<String>>,
        }
        let namespace = self.repository.as_str();
        if !namespace.is_empty() && !namespace.ends_with('/') {
            return Ok(None);
        }
        let base = self.http.server().base();
        let url = Url::parse_with_params(&format!("{base}/v2/_catalog"), [("n", PAGE)])
            .map_err(|error| self.invalid(&error.to_string()))?;
        let pages = match self.pages(RegistryAccess::Catalog, url) {
            Ok(pages) => pages.unwrap_or_default(),
            // Hosts with many users have no list for everybody.
            Err(SourceError::AuthRefused { .. } | SourceError::Invalid(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        if pages.is_empty() {
            return Err(SourceError::NoSuchSource {
                message: format!(
                    "the registry of `{}` has no list of repositories",
                    self.label
                ),
                help: format!("name a repository: `agpm browse {}NAME`", self.label),
            });
        }
        let mut found = Vec::new();
        for page in pages {
            let page: Catalog = serde_json::from_slice(&page)
                .map_err(|error| self.invalid(&format!("its list is not valid: {error}")))?;
            let all = page.repositories.unwrap_or_default().into_iter();
            found.extend(all.filter(|name| name.starts_with(namespace)));
        }
        found.sort();
        let server = self.http.server().authority();
        let urls = found.into_iter();
        Ok(Some(
            urls.map(|name| format!("oci://{server}/{name}")).collect(),
        ))
    }
}

impl RegistryClient {
    fn no_such_tag(&self, tag: &str) -> SourceError {
        SourceError::NoSuchRevision(format!("`{}` has no tag `{}`", self.label, printable(tag)))
    }
}

/// A request to a server of tokens.
struct TokenRequest<'a> {
    realm: &'a str,
    service: Option<&'a str>,
    scope: String,
}

#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

fn basic_header(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Returns the target of `<URL>; rel="next"`.
fn next_page(header: &str) -> Option<&str> {
    let links = header.split(',');
    let mut next = links.filter(|link| link.contains("rel=\"next\"") || link.contains("rel=next"));
    let link = next.next()?;
    link.trim().strip_prefix('<')?.split('>').next()
}

/// Returns the first message in the answer of a registry.
fn error_text(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Errors {
        errors: Vec<Error>,
    }
    #[derive(Deserialize)]
    struct Error {
        #[serde(default)]
        message: String,
    }
    let answer: Errors = serde_json::from_slice(bytes).ok()?;
    let first = answer.errors.into_iter().next()?.message;
    Some(printable(&first)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_in_the_header() {
        for (header, next) in [
            (
                "</v2/a/tags/list?last=x&n=2>; rel=\"next\"",
                Some("/v2/a/tags/list?last=x&n=2"),
            ),
            (
                "<https://h/1>; rel=\"prev\", <https://h/2>; rel=next",
                Some("https://h/2"),
            ),
            ("<https://h/1>; rel=\"prev\"", None),
            ("", None),
        ] {
            assert_eq!(next_page(header), next, "{header}");
        }
    }

    #[test]
    fn messages_of_a_registry_are_shown_without_control_characters() {
        let text = error_text(b"{\"errors\":[{\"code\":\"X\",\"message\":\"no\\u001b[31m\"}]}");
        assert_eq!(text.as_deref(), Some("no[31m"));
        assert_eq!(error_text(b"<html>"), None);
    }
}
