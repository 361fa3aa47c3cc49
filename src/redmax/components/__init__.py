"""What the members of all families share: data and structure, kept arguments, functions as members, handles, checks of input."""
