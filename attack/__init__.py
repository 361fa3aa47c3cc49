"""The attack: what a stranger's files, pages and kills may try, tried. `python -m attack`, or `make attack`.

Each part is a file with the same order: what it attacks, how its inputs are made (from a seed and a number, so that each can be made
again), what counts as a hole. Inputs are tried in children with limits on memory, processor time and file sizes, which a parent watches.
Nothing leaves this machine: no network but 127.0.0.1, and temporary folders of its own.
"""
