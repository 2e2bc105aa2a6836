"""followsuit: reinforcement-learning environments for trick-taking card games, and self-play on them.

`followsuit.envs` holds the games, `followsuit.policies` whatever can choose a card, `followsuit.training` what
learns and measures, `followsuit.app` the command line. This module imports nothing, so each part loads alone.
"""
