//! Lists the repositories of a manifest or a lockfile.

use crate::address::SourceAddress;
use crate::catalog_remote::CatalogRemote;
use crate::lock::Lockfile;
use crate::manifest::Manifest;

impl Manifest {
    /// The URLs of sources and of remotes of the catalog; layers are versions of sources.
    pub fn source_addresses(&self) -> Vec<SourceAddress> {
        let remotes = self.catalog.all().filter_map(CatalogRemote::address);
        let sources = self.sources.iter().map(|source| &source.address);
        sources.chain(remotes).cloned().collect()
    }
}

impl Lockfile {
    /// The URLs of sources, of remotes of the catalog and of bases; layers are versions of sources.
    pub fn source_addresses(&self) -> Vec<SourceAddress> {
        let urls = self.sources.iter();
        let urls = urls.filter_map(|source| source.url.as_deref());
        let sources = urls.filter_map(|url| SourceAddress::parse(url).ok());
        let remotes = self.catalog.iter();
        let remotes = remotes.filter_map(|locked| locked.remote().address().cloned());
        let pins = self.bases.iter().filter_map(|base| base.pin.as_ref());
        let bases = pins.filter_map(|pin| SourceAddress::parse(&pin.source.to_string()).ok());
        sources.chain(remotes).chain(bases).collect()
    }
}
