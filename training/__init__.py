"""What learns and what measures: self-play (`ppo`), its settings (`config`), fair comparison (`arena`)."""
