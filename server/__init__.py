"""ASGI applications."""
