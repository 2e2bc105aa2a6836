"""The settings of training, one TOML file a game."""
