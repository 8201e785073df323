"""What agents can call: tools, resources and prompts, as values and pure functions. It knows no transport."""
