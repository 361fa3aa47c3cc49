"""Which results of a function depend on which of its operands' numbers, whatever the state: found from the traces, as reverse sweeps are.

A tree's joints feel those on their way to the root and those that hang on them, not their neighbours; a joint's own numbers feel nobody.
"""

from __future__ import annotations

import numpy as np

from redmax.bridges.function import Function
from redmax.program.cotangent import Reversal


def dependence(f: Function) -> dict[tuple[str, str], np.ndarray]:
    """(result, operand) -> (its size, columns) of bool: False where the derivative is zero at every state."""
    plan = f.kept.plan
    analysis = Reversal(plan, range(len(plan.outputs)), range(len(plan.inputs)), 1)
    level, size = analysis.level, analysis.tape.size
    found = {(result, name): np.zeros((n, o.size), bool) for result, n in f.outputs.items() for name, o in f.inputs.items()}
    for name, slots in zip(f.inputs, plan.inputs, strict=False):
        for k, slot in enumerate(slots.tolist()):
            varied = np.zeros(size, bool)
            varied[slot] = True
            level.forwards(varied)
            for result, ends in zip(f.outputs, plan.outputs, strict=True):
                found[result, name][:, k] = varied[ends]
    return found
