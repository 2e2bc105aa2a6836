"""The rules of the games, one file a game, and nothing else (see `contract`)."""
