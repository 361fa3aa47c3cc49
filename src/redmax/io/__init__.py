"""Scene files: what a scene is, as text that people read and write, and that runs nothing."""
