"""What learns and measures: self-play, evaluation."""
