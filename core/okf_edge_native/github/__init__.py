"""GitHub as a place of feeds and bundles: its API, a repository as a `BlobStore`, and archives to install."""
