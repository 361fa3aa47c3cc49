"""Contact: which shapes touch, of what material, and where they meet. Rows are made in dynamics/contact, solved in solvers/contact."""
