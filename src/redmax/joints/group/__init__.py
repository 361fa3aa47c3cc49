"""Configurations that are elements of a group, one way to write them a file: a step goes along the group, and none is singular."""
