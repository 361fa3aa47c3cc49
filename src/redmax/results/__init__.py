"""Result files: a run with its scene, in one HDF5 file that says what everything in it means."""

from redmax.results.pickled import pickled
from redmax.results.reader import load
from redmax.results.save import save
from redmax.results.sink import FileSamples
from redmax.results.stored import StoredTrajectory
from redmax.results.tables import to_csv, to_numpy, to_pandas
from redmax.results.target import check_target

__all__ = ["FileSamples", "StoredTrajectory", "check_target", "load", "pickled", "save", "to_csv", "to_numpy", "to_pandas"]
