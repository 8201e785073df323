"""okf-edge: verified, searchable bundles of curated markdown.

This package is the core. It is pure Python and runs unchanged on CPython and in Pyodide; everything that it asks of
the world goes through the protocols of `okf_edge.ports`.
"""

__version__ = "0.1.0"
