//! Nodes of ours as the ledger writes them down.

use agpm_model::{Checksum, Place};
use agpm_text::{NodeRef, Pointer, Value};

use super::{FileOrigin, Hunk, OwnedNode, OwnedNodes, Seams};

type MakePlace = fn(Pointer) -> Place;

/// The word for each kind of place.
const PLACES: &[(&str, MakePlace)] =
    &[("key", Place::Key), ("item", Place::Item), ("default", Place::Default)];

impl OwnedNodes {
    pub(crate) fn value(&self) -> Value {
        let mut map = vec![("seen", Value::from(self.seen.to_string()))];
        if self.file != FileOrigin::Users {
            map.push(("created", true.into()));
        }
        if !self.containers.is_empty() {
            map.push(("containers", Value::list(self.containers.iter().map(Pointer::to_string))));
        }
        map.push(("nodes", Value::List(self.nodes.iter().map(OwnedNode::value).collect())));
        if !self.others.is_empty() {
            let sums = |sums: &Vec<Checksum>| Value::list(sums.iter().map(Checksum::to_string));
            map.push(("others", Value::map(self.others.iter().map(|(at, all)| (at.to_string(), sums(all))))));
        }
        map.extend(self.seams.as_ref().map(|seams| ("seams", seams.value())));
        Value::map(map)
    }

    pub(crate) fn read(node: NodeRef<'_>) -> Option<Self> {
        let file = match node.get("created") {
            Some(created) if created.as_bool()? => FileOrigin::Ours,
            _ => FileOrigin::Users,
        };
        let containers = node.get("containers").into_iter().flat_map(NodeRef::items).map(read_parsed);
        Some(OwnedNodes {
            seen: read_parsed(node.get("seen")?)?,
            file,
            containers: containers.collect::<Option<_>>()?,
            nodes: node.get("nodes")?.items().map(OwnedNode::read).collect::<Option<_>>()?,
            others: node
                .get("others")
                .into_iter()
                .flat_map(NodeRef::entries)
                .map(read_others)
                .collect::<Option<_>>()?,
            theirs: Vec::new(),
            seams: match node.get("seams") {
                Some(seams) => Some(Seams::read(seams)?),
                None => None,
            },
        })
    }
}

impl OwnedNode {
    fn value(&self) -> Value {
        let word = match self.place {
            Place::Key(_) => "key",
            Place::Item(_) => "item",
            Place::Default(_) => "default",
            Place::Keyed { .. } => "keyed",
        };
        let mut map = vec![(word, Value::from(self.place.pointer().to_string()))];
        map.push(("checksum", self.checksum.to_string().into()));
        if !self.marks.is_empty() {
            map.push(("commands", Value::list(self.marks.iter().map(String::as_str))));
        }
        map.extend(self.matcher.as_deref().map(|matcher| ("matcher", matcher.into())));
        map.push(("owner", self.owner.as_str().into()));
        Value::map(map)
    }

    fn read(node: NodeRef<'_>) -> Option<Self> {
        let place = |(word, place): &(&str, MakePlace)| Some(place(read_parsed(node.get(word)?)?));
        let marks = node.get("commands").into_iter().flat_map(NodeRef::items);
        Some(OwnedNode {
            place: PLACES.iter().find_map(place)?,
            checksum: read_parsed(node.get("checksum")?)?,
            marks: marks.map(|mark| mark.as_str().map(str::to_owned)).collect::<Option<_>>()?,
            matcher: node.get("matcher").and_then(NodeRef::as_str).map(str::to_owned),
            owner: node.get("owner")?.as_str()?.to_owned(),
        })
    }
}

impl Seams {
    fn value(&self) -> Value {
        let hunk =
            |hunk: &Hunk| Value::list([hunk.at.into(), hunk.length.into(), Value::from(hunk.text.as_str())]);
        let hunks = Value::List(self.hunks.iter().map(hunk).collect());
        Value::map([("base", Value::from(self.base.to_string())), ("hunks", hunks)])
    }

    fn read(node: NodeRef<'_>) -> Option<Self> {
        let hunks = node.get("hunks")?.items().map(read_hunk).collect::<Option<_>>()?;
        Some(Seams { base: read_parsed::<Checksum>(node.get("base")?)?, hunks })
    }
}

fn read_others((list, sums): (NodeRef<'_>, NodeRef<'_>)) -> Option<(Pointer, Vec<Checksum>)> {
    Some((list.content().parse().ok()?, sums.items().map(read_parsed).collect::<Option<_>>()?))
}

fn read_hunk(node: NodeRef<'_>) -> Option<Hunk> {
    let number = |step| node.child(step)?.content().parse().ok();
    Some(Hunk { at: number("0")?, length: number("1")?, text: node.child("2")?.as_str()?.to_owned() })
}

fn read_parsed<T: std::str::FromStr>(node: NodeRef<'_>) -> Option<T> {
    node.as_str()?.parse().ok()
}
