"""What all dynamics share: the motion of a joint, what acts within it, inverse dynamics, what is read off a state."""
