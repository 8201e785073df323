"""What puts the service into a cloud: its packages, the checks of its template, and what it costs. Never shipped."""
