"""Keeps what AI agents remember in one git repository of markdown: small, routed, true and in sync."""

__version__ = "0.1.0"
