"""okf-edge in a browser's worker: adapters of every port over the bridge to the page, and the calls of that page."""
