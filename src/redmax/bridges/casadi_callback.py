"""What CasADi calls: pieces of the family of derivatives over its memory, which say what their own derivatives are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.bridges.derivative import Call, Derivative
from redmax.bridges.function import Function
from redmax.bridges.matrices import Matrices, operands_of
from redmax.bridges.packages import needed
from redmax.bridges.sparsity import dependence

casadi = needed("casadi")


class Pattern:
    """Where derivatives of a function may differ from zero; found when it is first asked for."""

    def __init__(self, function: Function) -> None:
        self.function, self.found = function, dict[tuple[str, str], np.ndarray]()

    def block(self, which: Derivative, result: int, operand: int) -> np.ndarray:
        """(size, size) of bool: of a result of a derivative by one of its operands, True where nobody has looked."""
        given, names = which.given, list(self.function.outputs)
        if which.order or (which.by is not None and operand < len(given)):
            return np.ones((which.results[result], which.sizes[operand]), bool)
        self.found = self.found or dependence(self.function)
        if which.by is None:
            return self.found[names[result], given[operand]]
        return self.found[names[operand - len(given)], which.by[result]].T


@dataclass(frozen=True, eq=False)
class Piece:
    """One call of a derivative. operands: numbers of inputs, or arrays; results: numbers of outputs, which it adds to if `adds`.

    packed: what computes the nonzeros of the outputs, if that is not the derivative itself
    worlds: how many there are side by side: columns of those inputs that have so many, and of the outputs
    """

    which: Derivative
    operands: Sequence[int | np.ndarray]
    results: Sequence[int]
    worlds: int = 1
    adds: bool = False
    packed: Call | None = None

    @property
    def call(self) -> Call:
        """What computes it."""
        return self.packed or self.which.call


class Computed(casadi.Callback):
    """Pieces, one after the other. inputs, outputs: name -> pattern of nonzeros. Differentiable where it is one piece of one world."""

    def __init__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], pieces: Sequence[Piece], pattern: Pattern) -> None:
        casadi.Callback.__init__(self)
        self.names, self.shapes = (list(inputs), list(outputs)), (list(inputs.values()), list(outputs.values()))
        self.pieces, self.pattern, self.smooth = pieces, pattern, len(pieces) == 1 and pieces[0].worlds == 1 and not pieces[0].packed
        self.chosen = [None if s.is_dense() else nonzeros(s) for s in self.shapes[1]]
        whole = not any(places is not None for places in self.chosen)
        self.direct = len(pieces) == 1 and pieces[0].worlds == 1 and (whole or pieces[0].packed is not None)
        self.others: list[Computed] = []  # held, as CasADi does not
        self.construct(name, {"enable_fd": False})

    def get_n_in(self) -> int:
        """Of inputs."""
        return len(self.names[0])

    def get_n_out(self) -> int:
        """Of outputs."""
        return len(self.names[1])

    def get_name_in(self, i: int) -> str:
        """Of an input."""
        return self.names[0][i]

    def get_name_out(self, i: int) -> str:
        """Of an output."""
        return self.names[1][i]

    def get_sparsity_in(self, i: int) -> Any:
        """Of an input."""
        return self.shapes[0][i]

    def get_sparsity_out(self, i: int) -> Any:
        """Of an output."""
        return self.shapes[1][i]

    def has_eval_buffer(self) -> bool:
        """Memory, not matrices."""
        return True

    def eval_buffer(self, arg: Sequence[Any], res: Sequence[Any]) -> int:
        """Columns of CasADi's matrices are rows of ours, so that what is dense is read and filled where it lies."""
        if self.direct:
            (piece,) = self.pieces
            buffers = [arg[int(n)] for n in piece.operands] + [res[n] for n in piece.results]
            if None not in buffers:
                piece.call.run_alone([np.frombuffer(b).ctypes.data for b in buffers])
                return 0
        for piece in self.pieces:
            call, given, found = piece.call, list[np.ndarray](), list[np.ndarray]()
            for source, size in zip(piece.operands, call.sizes, strict=True):
                given.append(source if isinstance(source, np.ndarray) else read(arg[source], size))
            for n, size in zip(piece.results, call.results, strict=True):
                there = res[n] is not None and (self.chosen[n] is None or piece.packed) and not piece.adds
                found.append(np.frombuffer(res[n]).reshape(piece.worlds, size) if there else np.empty((piece.worlds, size)))
            call.run(given, found, piece.worlds)
            for n, x in zip(piece.results, found, strict=True):
                if piece.packed:
                    continue
                if res[n] is not None and (places := self.chosen[n]) is not None:
                    np.frombuffer(res[n])[:] = x.ravel()[places]
                elif res[n] is not None and piece.adds:
                    np.frombuffer(res[n])[:] += x.ravel()
        return 0

    def has_jacobian(self) -> bool:
        """Blocks, all of them in few calls."""
        return self.smooth

    def has_forward(self, nfwd: int) -> bool:
        """Products."""
        return self.smooth

    def has_reverse(self, nadj: int) -> bool:
        """Transposed products."""
        return self.smooth

    def has_jac_sparsity(self, oind: int, iind: int) -> bool:
        """Known from the traces."""
        return self.smooth

    def get_jac_sparsity(self, oind: int, iind: int, symmetric: bool) -> Any:
        """Of one block."""
        (piece,) = self.pieces
        if iind in piece.operands and oind in piece.results:
            return sparsity(self.pattern.block(piece.which, list(piece.results).index(oind), list(piece.operands).index(iind)))
        return casadi.Sparsity(self.shapes[1][oind].numel(), self.shapes[0][iind].numel())

    def get_jacobian(self, name: str, inames: Sequence[str], onames: Sequence[str], opts: Any) -> Any:
        """Of each output by each input: columns side by side, with unit vectors for directions."""
        (piece,), inputs = self.pieces, len(self.names[0])
        of, own, pieces = piece.which, list(piece.operands), list[Piece]()
        for n, names in enumerate(of.parts):
            part = of.part(n)
            for k in range(len(own))[part]:
                unit, results = np.eye(of.sizes[k]), [r * inputs + int(own[k]) for r in piece.results]
                if n == 0 and names[k] in operands_of(of):
                    continue
                if n == 0:
                    pieces.append(Piece(of.moved((names[k],)), [*own, unit], results, len(unit)))
                else:
                    others = [unit if m == k else np.zeros(of.sizes[m]) for m in range(len(own))[part]]
                    pieces.append(Piece(of, [*own[: part.start], *others, *own[part.stop :]], results, len(unit)))
        pieces += self.matrices(piece)
        blocks = [self.get_jac_sparsity(r, k, False) for r in range(len(self.names[1])) for k in range(inputs)]
        return self.other(name, self.after(inames, []), dict(zip(onames, blocks, strict=True)), pieces)

    def matrices(self, piece: Piece) -> list[Piece]:
        """The blocks of which one call has all entries."""
        of = piece.which
        names = operands_of(of)
        if not names:
            return []
        places = [of.given.index(name) for name in names]
        masks = {name: self.pattern.block(of, 0, k) for name, k in zip(names, places, strict=True)}
        whole = Matrices(of.of, of.given, names)
        return [Piece(of, piece.operands, [int(piece.operands[k]) for k in places], packed=whole.entries(masks))]

    def get_forward(self, nfwd: int, name: str, inames: Sequence[str], onames: Sequence[str], opts: Any) -> Any:
        """Rates of the outputs by rates of the inputs: the sum over the parts that move."""
        (piece,), first = self.pieces, len(self.names[0]) + len(self.names[1])
        terms = piece.which.rates(piece.operands, [first + int(k) for k in piece.operands], lambda k: k)
        pieces = [Piece(which, given, piece.results, nfwd, adds=n > 0) for n, (which, given) in enumerate(terms)]
        return self.other(name, self.after(inames, self.wide(0, nfwd)), dict(zip(onames, self.wide(1, nfwd), strict=True)), pieces)

    def get_reverse(self, nadj: int, name: str, inames: Sequence[str], onames: Sequence[str], opts: Any) -> Any:
        """Cotangents of the inputs by those of the outputs, part by part."""
        (piece,), first = self.pieces, len(self.names[0]) + len(self.names[1])
        of, pieces = piece.which, list[Piece]()
        weights = [first + n for n in piece.results]
        for n, names in enumerate(of.parts):
            if names:
                pulled, order = of.pulled(n, names)
                given = [k for m in order for k in (weights if m < 0 else piece.operands[of.part(m)])]
                pieces.append(Piece(pulled, given, [int(k) for k in piece.operands[of.part(n)]], nadj))
        return self.other(name, self.after(inames, self.wide(1, nadj)), dict(zip(onames, self.wide(0, nadj), strict=True)), pieces)

    def wide(self, side: int, count: int) -> list[Any]:
        """Of directions along the inputs (0) or the outputs (1); nothing for what nobody reads or fills."""
        (piece,) = self.pieces
        used = (piece.operands, piece.results)[side]
        return [dense(s.numel(), count) if n in used else casadi.Sparsity(s.numel(), count) for n, s in enumerate(self.shapes[side])]

    def after(self, names: Sequence[str], more: Sequence[Any]) -> dict[str, Any]:
        """Of the inputs of a derivative: ours, our outputs, of which it reads nothing, and more."""
        unread = [casadi.Sparsity(s.numel(), 1) for s in self.shapes[1]]
        return dict(zip(names, [*self.shapes[0], *unread, *more], strict=True))

    def other(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], pieces: Sequence[Piece]) -> Computed:
        """A derivative of this one."""
        self.others.append(Computed(name, inputs, outputs, pieces, self.pattern))
        return self.others[-1]


def derivative(which: Derivative, pattern: Pattern) -> Computed:
    """A derivative as it is."""
    of = which.of
    inputs = {plain(name): dense(of.inputs[name].size, 1) for name in which.given}
    outputs = {f"{plain(name)}_out" if name in inputs else plain(name): dense(size, 1) for name, size in of.outputs.items()}
    piece = Piece(which, list(range(len(inputs))), list(range(len(outputs))))
    return Computed(plain(of.name), inputs, outputs, [piece], pattern)


def plain(name: str) -> str:
    """As CasADi takes names: letters, digits and single underscores."""
    return "_".join(filter(None, "".join(c if c.isascii() and c.isalnum() else "_" for c in name).split("_")))


def dense(rows: int, columns: int) -> Any:
    """All entries."""
    return casadi.Sparsity.dense(rows, columns)


def sparsity(mask: np.ndarray) -> Any:
    """Of a matrix of bool."""
    rows, columns = np.nonzero(mask)
    return casadi.Sparsity.triplet(*mask.shape, rows.tolist(), columns.tolist())


def nonzeros(pattern: Any) -> np.ndarray:
    """Their places among all entries, column by column."""
    rows, columns = (np.array(x, int) for x in pattern.get_triplet())
    return columns * pattern.size1() + rows


def read(buffer: Any, size: int) -> np.ndarray:
    """(worlds, size), or (size,) of one world; CasADi gives nothing for zeros."""
    array = np.zeros(size) if buffer is None else np.frombuffer(buffer)
    return array if array.size == size else array.reshape(-1, size)
