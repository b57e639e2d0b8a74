//! Version 2 of git's protocol, as far as agpm needs it: listing refs, and fetching commits without history or single
//! files.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use agpm_model::{Revision as ObjectId, SourceVersions};
use gix_packetline::PacketLineRef;
use gix_packetline::blocking_io::{StreamingPeekableIter, encode};
use gix_packetline::read::ProgressAction;

use crate::git::refs::add_ref;

/// The lines of a server's answers.
pub(crate) type PacketLines<R> = StreamingPeekableIter<R>;

/// The packets that end a part of an answer.
const ENDS: &[PacketLineRef<'static>] = &[
    PacketLineRef::Flush,
    PacketLineRef::Delimiter,
    PacketLineRef::ResponseEnd,
];
const AGENT: &str = concat!("agent=agpm/", env!("CARGO_PKG_VERSION"));

/// Reads packets from a stream.
pub(crate) fn packet_lines<R: Read>(stream: R) -> PacketLines<R> {
    let mut lines = StreamingPeekableIter::new(stream, ENDS, false);
    lines.fail_on_err_lines(true);
    lines
}

/// The features of a server.
#[derive(Debug)]
pub(crate) struct ServerFeatures {
    values: BTreeMap<String, String>,
}

impl ServerFeatures {
    /// Reads the greeting of a server.
    pub(crate) fn read<R: Read>(lines: &mut PacketLines<R>) -> io::Result<Self> {
        let mut values = BTreeMap::new();
        read_part(lines, |line| {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            values.insert(name.to_owned(), value.to_owned());
            Ok(())
        })?;
        Ok(ServerFeatures { values })
    }

    /// Returns whether the server lists refs and sends commits without their history.
    pub(crate) fn are_sufficient(&self) -> bool {
        self.values.contains_key("version 2")
            && self.values.contains_key("ls-refs")
            && self.can_fetch("shallow")
    }

    fn can_fetch(&self, feature: &str) -> bool {
        let features = self.values.get("fetch");
        features.is_some_and(|features| features.split(' ').any(|name| name == feature))
    }

    fn begin(&self, command: &str, out: &mut Vec<u8>) -> io::Result<()> {
        let mut line = |text: &str| encode::text_to_write(text.as_bytes(), &mut *out);
        line(&format!("command={command}"))?;
        line(AGENT)?;
        if let Some(format) = self.values.get("object-format") {
            line(&format!("object-format={format}"))?;
        }
        encode::delim_to_write(out).map(drop)
    }

    /// Returns the request for all branches and tags; other refs, such as those of pull requests, are not sent.
    pub(crate) fn listing_request(&self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        self.begin("ls-refs", &mut out)?;
        for line in [
            "peel",
            "symrefs",
            "ref-prefix HEAD",
            "ref-prefix refs/heads/",
            "ref-prefix refs/tags/",
        ] {
            encode::text_to_write(line.as_bytes(), &mut out)?;
        }
        encode::flush_to_write(&mut out)?;
        Ok(out)
    }

    /// Returns the request for a pack.
    pub(crate) fn pack_request(&self, wanted: &WantedPack<'_>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        self.begin("fetch", &mut out)?;
        let mut line = |text: &str| encode::text_to_write(text.as_bytes(), &mut out).map(drop);
        // Deltas refer to their base by its offset in the pack instead of its name, which makes packs smaller.
        line("ofs-delta")?;
        // Progress of the server would arrive between the bytes of the pack, and nothing shows it.
        line("no-progress")?;
        match wanted {
            WantedPack::Commits { ids, stored } => {
                line("deepen 1")?;
                // A server that knows no filters sends the files too.
                if self.can_fetch("filter") {
                    line("filter blob:none")?;
                }
                // The cache has these without their parents. Otherwise `have` would promise their history too.
                for id in *stored {
                    line(&format!("shallow {id}"))?;
                }
                for id in *ids {
                    line(&format!("want {id}"))?;
                }
                for id in *stored {
                    line(&format!("have {id}"))?;
                }
            }
            // Without `have`: no object in the cache makes a single file unnecessary.
            WantedPack::Files(ids) => {
                for id in *ids {
                    line(&format!("want {id}"))?;
                }
            }
        }
        // The request is complete, so the server sends the pack at once instead of negotiating what is in the cache.
        line("done")?;
        encode::flush_to_write(&mut out)?;
        Ok(out)
    }
}

/// The content of a pack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WantedPack<'a> {
    /// Commits with their trees, without history and files.
    Commits {
        /// The commits, or tags of commits.
        ids: &'a [ObjectId],
        /// The commits that are in the cache with their trees.
        stored: &'a [ObjectId],
    },
    /// Files.
    Files(&'a [ObjectId]),
}

/// Reads the answer to a listing request.
pub(crate) fn read_listing<R: Read>(lines: &mut PacketLines<R>) -> io::Result<SourceVersions> {
    let mut versions = SourceVersions::default();
    read_part(lines, |line| {
        add_line(&mut versions, line);
        Ok(())
    })?;
    read_end(lines)?;
    Ok(versions)
}

/// Adds a line such as `ID refs/tags/v1 peeled:ID`.
fn add_line(versions: &mut SourceVersions, line: &str) {
    let mut words = line.split(' ');
    let (Some(value), Some(name)) = (words.next(), words.next()) else {
        return;
    };
    let attribute = |key: &str| words.clone().find_map(|word| word.strip_prefix(key));
    if name == "HEAD" {
        let target = attribute("symref-target:refs/heads/");
        versions.default_branch = target.map(str::to_owned);
    } else if let Ok(id) = value.parse::<ObjectId>() {
        let peeled = attribute("peeled:").and_then(|peeled| peeled.parse().ok());
        add_ref(versions, name, id, peeled);
    }
}

/// Reads the answer to a pack request: copies the pack, and returns the commits that arrived without their parents.
pub(crate) fn read_pack<R: Read>(
    lines: &mut PacketLines<R>,
    pack: &mut dyn Write,
) -> io::Result<Vec<ObjectId>> {
    let mut shallow = Vec::new();
    loop {
        let section = match lines.read_line() {
            Some(line) => text_of(line?.map_err(io::Error::other)?)?.to_owned(),
            None => return Err(unexpected("an answer without a pack")),
        };
        if section == "packfile" {
            break;
        }
        read_part(lines, |line| {
            let id = line.strip_prefix("shallow ");
            shallow.extend(id.and_then(|id| id.parse().ok()));
            Ok(())
        })?;
    }
    let mut failure = Vec::new();
    let collect = |is_error: bool, text: &[u8]| {
        if is_error {
            failure.extend_from_slice(text);
        }
        ProgressAction::Continue(())
    };
    let copied = io::copy(&mut lines.as_read_with_sidebands(collect), pack);
    if !failure.is_empty() {
        let failure = String::from_utf8_lossy(&failure);
        return Err(io::Error::other(format!("remote: {failure}")));
    }
    copied?;
    read_end(lines)?;
    Ok(shallow)
}

/// Passes on the lines up to the end of a part of an answer.
fn read_part<R: Read>(
    lines: &mut PacketLines<R>,
    mut each: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    while let Some(line) = lines.read_line() {
        each(text_of(line?.map_err(io::Error::other)?)?)?;
    }
    if lines.stopped_at().is_none() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    lines.reset();
    Ok(())
}

/// Reads the packet that ends an answer. Without it, the next answer would begin with the rest of this one.
fn read_end<R: Read>(lines: &mut PacketLines<R>) -> io::Result<()> {
    let is_empty = lines.read_line().is_none();
    if !is_empty || lines.stopped_at() != Some(PacketLineRef::ResponseEnd) {
        return Err(unexpected("an answer that does not end"));
    }
    lines.reset();
    Ok(())
}

fn text_of(line: PacketLineRef<'_>) -> io::Result<&str> {
    let bytes = line.as_slice().unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(text.trim_end_matches('\n'))
}

fn unexpected(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// An answer as the server sends it, with `0000`, `0001` and `0002` as the packets without content.
    fn answer(lines: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        for line in lines {
            match *line {
                "0000" | "0001" | "0002" => out.extend_from_slice(line.as_bytes()),
                text => drop(encode::data_to_write(text.as_bytes(), &mut out).unwrap()),
            }
        }
        out
    }

    fn features(fetch: &str) -> ServerFeatures {
        let fetch = format!("fetch={fetch}\n");
        let greeting = answer(&["version 2\n", "ls-refs=unborn\n", &fetch, "0000"]);
        ServerFeatures::read(&mut packet_lines(greeting.as_slice())).unwrap()
    }

    fn id(digit: &str) -> ObjectId {
        digit.repeat(40).parse().unwrap()
    }

    #[test]
    fn a_server_without_shallow_fetches_is_not_enough() {
        assert!(features("shallow wait-for-done filter").are_sufficient());
        assert!(!features("wait-for-done").are_sufficient());
        let truncated = answer(&["version 2\n"]);
        assert!(ServerFeatures::read(&mut packet_lines(truncated.as_slice())).is_err());
    }

    #[test]
    fn a_listing_has_branches_and_the_commits_of_tags() {
        let [one, two] = ["1", "2"].map(|digit| digit.repeat(40));
        let lines = [
            format!("{one} HEAD symref-target:refs/heads/main\n"),
            format!("{one} refs/heads/main\n"),
            format!("{two} refs/tags/v1 peeled:{one}\n"),
            format!("{two} refs/tags/v2\n"),
            format!("{two} refs/pull/7/head\n"),
            "odd refs/tags/v3\n".to_owned(),
        ];
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.extend(["0000", "0002"]);
        let listing = answer(&lines);
        let versions = read_listing(&mut packet_lines(listing.as_slice())).unwrap();
        assert_eq!(versions.default_branch.as_deref(), Some("main"));
        assert_eq!(versions.tags["v1"], id("1"));
        assert_eq!(versions.annotated["v1"], id("2"));
        assert_eq!(versions.tags["v2"], id("2"));
        assert_eq!((versions.tags.len(), versions.branches.len()), (2, 1));
        // A listing that was cut short would lock a wrong version.
        for end in 0..listing.len() {
            let short = &listing[..end];
            assert!(read_listing(&mut packet_lines(short)).is_err(), "{end}");
        }
    }

    #[test]
    fn a_request_for_files_names_no_commit_of_the_cache() {
        let server = features("shallow filter");
        let (wanted, stored) = ([id("1")], [id("2")]);
        let commits = WantedPack::Commits {
            ids: &wanted,
            stored: &stored,
        };
        let text = |pack| String::from_utf8(server.pack_request(&pack).unwrap()).unwrap();
        let commits = text(commits);
        for line in [
            "deepen 1",
            "filter blob:none",
            "shallow 2",
            "have 2",
            "want 1",
        ] {
            assert!(commits.contains(line), "{line}");
        }
        let files = text(WantedPack::Files(&wanted));
        assert!(files.contains("want 1") && !files.contains("have") && !files.contains("deepen"));
        let plain = features("shallow").pack_request(&WantedPack::Commits {
            ids: &wanted,
            stored: &[],
        });
        assert!(
            !String::from_utf8(plain.unwrap())
                .unwrap()
                .contains("filter")
        );
    }

    #[test]
    fn a_pack_is_copied_and_shallow_commits_are_returned() {
        let shallow = format!("shallow {}\n", "1".repeat(40));
        let lines = [
            "shallow-info\n",
            &shallow,
            "0001",
            "packfile\n",
            "\u{2}Counting\n",
            "\u{1}PACK",
            "\u{1}more",
            "0000",
            "0002",
        ];
        let bytes = answer(&lines);
        let mut pack = Vec::new();
        let read = read_pack(&mut packet_lines(bytes.as_slice()), &mut pack).unwrap();
        assert_eq!((pack.as_slice(), read), (&b"PACKmore"[..], vec![id("1")]));
        for end in 0..bytes.len() {
            let mut pack = Vec::new();
            let short = packet_lines(&bytes[..end]);
            assert!(read_pack(&mut { short }, &mut pack).is_err(), "{end}");
        }
    }

    #[test]
    fn a_refusal_of_the_server_is_an_error() {
        for lines in [
            &["ERR upload-pack: not our ref 1111\n"][..],
            &["packfile\n", "\u{3}not our ref", "0000", "0002"],
        ] {
            let bytes = answer(lines);
            let error = read_pack(&mut packet_lines(bytes.as_slice()), &mut Vec::new());
            assert!(error.unwrap_err().to_string().contains("not our ref"));
        }
    }
}
