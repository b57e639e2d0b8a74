//! Target files of resources, desired against observed, and the ledger of what is ours.
