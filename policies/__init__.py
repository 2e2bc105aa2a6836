"""Whatever can choose a card: `policy("uniform")`, `policy("heuristic")`, a checkpoint's path.

Policies never import what trains or shows them.
"""
