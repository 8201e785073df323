"""The Model Context Protocol over the tools of the core: one dispatcher, and its transports stdio and HTTP."""
