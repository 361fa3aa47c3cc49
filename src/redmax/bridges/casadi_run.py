"""What CasADi calls for an objective of a whole run: its value, and its slopes as a row for each thing that it is by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.bridges.casadi_callback import dense, plain
from redmax.bridges.packages import needed
from redmax.bridges.whole_run import WholeRun
from redmax.errors import SceneError

casadi = needed("casadi")


class Ran(casadi.Callback):
    """names: of what is given. slopes: whether it is these, not the value. Matrices are (last axis, others): torques are (nv, steps)."""

    def __init__(self, run: WholeRun, names: tuple[str, ...], slopes: bool = False, name: str = "objective") -> None:
        casadi.Callback.__init__(self)
        self.run, self.names, self.slopes, self.others = run, names, slopes, list[Ran]()
        own = [run.shapes[n] for n in names]
        self.shapes = [(s[-1] if s else 1, int(np.prod(s[:-1]))) for s in own]
        self.construct(name, {"enable_fd": False})

    def get_n_in(self) -> int:
        """Of inputs; behind those of slopes, the value, which nobody reads."""
        return len(self.names) + self.slopes

    def get_n_out(self) -> int:
        """Of outputs."""
        return len(self.names) if self.slopes else 1

    def get_name_in(self, i: int) -> str:
        """Of an input."""
        return plain(self.names[i]) if i < len(self.names) else "value_in"

    def get_name_out(self, i: int) -> str:
        """Of an output."""
        return f"by_{plain(self.names[i])}" if self.slopes else "value"

    def get_sparsity_in(self, i: int) -> Any:
        """Of an input."""
        return dense(*self.shapes[i]) if i < len(self.names) else casadi.Sparsity(1, 1)

    def get_sparsity_out(self, i: int) -> Any:
        """Of an output."""
        return dense(1, int(np.prod(self.shapes[i]))) if self.slopes else dense(1, 1)

    def has_eval_buffer(self) -> bool:
        """Memory, not matrices."""
        return True

    def eval_buffer(self, arg: Sequence[Any], res: Sequence[Any]) -> int:
        """Run, and back again for slopes, which are written where CasADi has them."""
        shapes = self.run.shapes
        arrays = {name: read(a, shapes[name]) for name, a in zip(self.names, arg, strict=False)}
        if self.slopes:
            rooms = {name: read(a, shapes[name]) for name, a in zip(self.names, res, strict=True) if a is not None}
            self.run.value_and_slopes(arrays, rooms)
        elif res[0] is not None:
            read(res[0], ())[()] = self.run.value(arrays)
        return 0

    def has_jacobian(self) -> bool:
        """Of the value; that of slopes says that there is none."""
        return True

    def get_jacobian(self, name: str, inames: Sequence[str], onames: Sequence[str], opts: Any) -> Any:
        """The slopes."""
        if self.slopes:
            fix = 'Give IPOPT {"ipopt.hessian_approximation": "limited-memory"}, or take gradient.hessp with SciPy'
            raise SceneError(f"An objective of a run has a gradient, and no Hessian for CasADi. {fix}.", argument="gradient")
        self.others.append(Ran(self.run, self.names, True, name))
        return self.others[-1]


def read(buffer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """CasADi's memory; it gives nothing for zeros."""
    return np.zeros(shape) if buffer is None else np.frombuffer(buffer).reshape(shape)
