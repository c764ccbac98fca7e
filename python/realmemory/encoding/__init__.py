"""Texts to vectors: the embedder protocol and its providers."""
