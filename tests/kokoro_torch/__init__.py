"""Run with ``.venv-torch/bin/python -m pytest tests/kokoro_torch`` (scripts/second_python.sh)."""
