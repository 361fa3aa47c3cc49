"""Forces between bodies, one kind a file."""

from redmax.forces.base import Force, Site
from redmax.forces.path import PathForce
from redmax.forces.point_spring import PointSpring
from redmax.forces.spring_damper import SpringDamper
