"""GitHub as a place of feeds and bundles: its API, a repository as a `BlobStore`, and archives to install."""

GITHUB = "github:"
"""How an address of a repository begins: `github:owner/name`."""
