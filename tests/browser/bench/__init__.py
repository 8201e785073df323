"""`make bench-web`: what the WebView costs in Chromium and WebKit, each figure with its bound, also as JSON."""
