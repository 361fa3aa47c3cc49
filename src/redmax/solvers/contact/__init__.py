"""Contact with friction as routines: cones and their derivatives, Newton's method on velocities, the outer iteration of exact friction."""
