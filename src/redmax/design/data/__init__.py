"""Measurements in and out: poses, markers and motions of files, and poses from clouds of markers."""
