"""One TOML file a game: the settings of its training run (see `followsuit.training.config`)."""
