"""Muscles: the scalar laws of Hill-type muscles with rigid tendons, from path length and activation to tension."""

from redmax.muscles import curves
from redmax.muscles.activation import ActivationDynamics
from redmax.muscles.curves import Curves
from redmax.muscles.excitation import checked_activation, checked_excitation
from redmax.muscles.hill import Hill

__all__ = ["ActivationDynamics", "Curves", "Hill", "checked_activation", "checked_excitation", "curves"]
