"""Design from data: joints fitted to measured poses, configurations that reach targets, and the forces that such motions need."""

__all__: list[str] = []
