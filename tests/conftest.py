"""Profiles of the property tests: the default one for every run, a long one for the night."""

import os

from hypothesis import settings

# Time limits per example would make a loaded machine fail a correct program.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("long", deadline=None, max_examples=1_500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
