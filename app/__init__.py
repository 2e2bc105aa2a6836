"""What a person starts: the `followsuit` command, one module a subcommand."""
