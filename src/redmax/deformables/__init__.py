"""Deformable bodies: point masses at nodes and elements between them; to be held, or attached to rigid bodies."""

from redmax.deformables.attachment import Attachment
from redmax.deformables.base import Deformable
from redmax.deformables.cloth import Cloth
from redmax.deformables.elements import Elements, Law
from redmax.deformables.mass_spring import SpringChain
from redmax.deformables.materials import Corotated, Material, StableNeoHookean
from redmax.deformables.spring import Spring
from redmax.deformables.tetrahedra import Tetrahedra

__all__ = [
    "Attachment", "Cloth", "Corotated", "Deformable", "Elements", "Law", "Material", "Spring", "SpringChain", "StableNeoHookean",
    "Tetrahedra",
]  # fmt: skip
