"""Muscles: Hill-type muscles with rigid tendons along paths of points, their curves and their activation."""

from redmax.muscles import curves
from redmax.muscles.activation import ActivationDynamics
from redmax.muscles.curves import Curves
from redmax.muscles.excitation import checked_activation, checked_excitation
from redmax.muscles.fibres import Fibres
from redmax.muscles.hill import Hill
from redmax.muscles.muscle import Muscle

__all__ = ["ActivationDynamics", "Curves", "Fibres", "Hill", "Muscle", "checked_activation", "checked_excitation", "curves"]
