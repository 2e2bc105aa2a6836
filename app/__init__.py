"""What a person starts: the command `followsuit` (`main`), a module for each of its subcommands, and the table in a
terminal (`table`).
"""
