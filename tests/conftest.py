"""Hypothesis: the same few examples every time by default; `--hypothesis-profile=thorough` looks further."""

from hypothesis import settings

settings.register_profile("quick", max_examples=6, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=300, deadline=None, print_blob=True)
settings.load_profile("quick")
