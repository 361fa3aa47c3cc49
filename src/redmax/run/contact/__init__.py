"""Contact in a run: what is kept of each at every sample, what can be read of it, and its quantities in files, tables and plots."""
