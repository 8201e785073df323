"""Embedding models on this machine: built from pinned wheels, kept in the user's cache, run by ONNX Runtime."""
