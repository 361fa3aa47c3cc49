"""Packages that are optional: what each adds, and what to install where it is missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True)
class Extra:
    """name: as in redmax[name]; module: what is imported; package: what pip calls it; adds: what a person gets."""

    name: str
    module: str
    package: str
    adds: str

    @property
    def installed(self) -> bool:
        try:
            return find_spec(self.module) is not None
        except (ImportError, ValueError):  # of something that only looks like the package
            return False

    @property
    def install(self) -> str:
        return f"pip install 'redmax[{self.name}]'"


EXTRAS = {
    extra.name: extra
    for extra in (
        Extra("view", "viser", "viser", "a live page (--view)"),
        Extra("plot", "matplotlib", "matplotlib", "plots (--plot)"),
        Extra("video", "imageio_ffmpeg", "imageio-ffmpeg", "films (--mp4)"),
        Extra("table", "pandas", "pandas", "tables (run.to_pandas())"),
        Extra("c3d", "ezc3d", "ezc3d", "C3D files of markers"),
        Extra("mesh", "trimesh", "trimesh", "bodies from mesh files"),
    )
}
OFFERED = ("view", "plot", "video")  # after a run, to one who does not have them
NEEDED = {"--view": EXTRAS["view"], "--plot": EXTRAS["plot"], **dict.fromkeys(("--mp4", "--gif", "--webp"), EXTRAS["video"])}


def missing(option: str, name: str = "") -> str:
    """Why an option cannot be served, as a sentence; empty if it can. name: what asks for it, if not the option."""
    extra = NEEDED.get(option)
    return "" if extra is None or extra.installed else f"{name or option} needs the package {extra.package}: {extra.install}."


def offer() -> str:
    """What would show more of a run; empty if everything is there."""
    absent = [EXTRAS[name] for name in OFFERED if not EXTRAS[name].installed]
    if not absent:
        return ""
    names, adds = ",".join(e.name for e in absent), ", ".join(e.adds for e in absent)
    return f"pip install 'redmax[{names}]' adds {adds}"
