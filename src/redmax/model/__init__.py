"""What is simulated: the Scene that a user builds, the Model that is made of it, and its State."""
