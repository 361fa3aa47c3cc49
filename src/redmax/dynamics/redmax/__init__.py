"""RedMax: maximal mass and forces, seen through J by reduced coordinates."""
