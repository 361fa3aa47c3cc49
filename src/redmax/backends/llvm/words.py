"""The words that the entry function of a program is called with, and the lines that read them.

Most stay as they are during a call. They are read where they are used, in each block anew: a hundred values that live through the whole
function would all be put aside, and LLVM would take half of its time for where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redmax.program.blocks import Block
from redmax.program.plan import count_repeats

# What the words of the argument hold: addresses, then numbers.
ARGUMENTS = (
    "constants", "workspace", "accumulators", "worlds", "pack", "count", "stride", "samples", "room", "budget", "site", "left", "world",
    "here", "visit", "status", "row", "turn",
)  # fmt: skip
STATE = ("samples", "left", "world", "here", "visit", "status", "row", "turn")  # what the entry changes, and finds again when it goes on
PAUSED = 2
INPUT = ("array", "stride", "slots", "columns", "turn_stride")
OUTPUT = ("array", "stride", "sample_stride", "slots", "columns")
RUN = ("rows", "count", "words")
NAME = re.compile(r"%([\w.]+)")  # of a value or a block


@dataclass
class WordReader:
    """Reads the words of one shape of program."""

    ty: str
    inputs: int
    outputs: int
    lines: list[str] = field(default_factory=list)
    total_runs: int = 0
    words: dict[str, tuple[int, str]] = field(default_factory=dict)  # where each lies, and its type

    def word(self, index: int, name: str, kind: str = "i64") -> None:
        """Give one word a name, by which lines may use it."""
        self.words[name] = index, kind

    def read_where_used(self, lines: Sequence[str]) -> Iterator[str]:
        """The lines, each behind those that read the words which it uses and no line of its block before it."""
        here: dict[str, str] = {}  # what words are called in this block
        count = 0
        for line in (one for several in lines for one in several.split("\n")):
            if line.endswith(":"):
                here.clear()
            for name in NAME.findall(line):
                if name in self.words and name not in here:
                    (index, kind), count = self.words[name], count + 1
                    here[name] = f"{name}.w{count}"
                    yield f"%{here[name]}.p = getelementptr i64, ptr %args, i64 {index}"
                    yield f"%{here[name]} = load {kind}, ptr %{here[name]}.p, align 8"
            yield NAME.sub(lambda found, names=here: f"%{names.get(found[1], found[1])}", line)

    @property
    def first_input(self) -> int:
        """The word where the inputs begin, behind the arguments."""
        return len(ARGUMENTS)

    @property
    def first_output(self) -> int:
        """The word where the outputs begin, behind the inputs."""
        return self.first_input + len(INPUT) * self.inputs

    @property
    def first_run(self) -> int:
        """The word where the runs of rows begin, behind the outputs."""
        return self.first_output + len(OUTPUT) * self.outputs

    @property
    def first_counter(self) -> int:
        """The word where the counters of loops begin, behind the runs."""
        return self.first_run + len(RUN) * self.total_runs

    def read_arguments(self, runs: int) -> None:
        """Name all that stays as it is during the call."""
        for i, name in enumerate(ARGUMENTS):
            if name not in STATE:
                self.word(i, name, "ptr" if i < 3 else "i64")
        for n in range(self.inputs):
            for i, name in enumerate(INPUT):
                self.word(self.first_input + n * len(INPUT) + i, f"in{n}.{name}", "ptr" if name in ("array", "slots") else "i64")
        for n in range(self.outputs):
            for i, name in enumerate(OUTPUT):
                self.word(self.first_output + n * len(OUTPUT) + i, f"out{n}.{name}", "ptr" if name in ("array", "slots") else "i64")
        for n in range(runs):
            self.word(self.first_run + n * len(RUN), f"run{n}.rows", "ptr")
            self.word(self.first_run + n * len(RUN) + 1, f"run{n}.count")
            self.word(self.first_run + n * len(RUN) + 2, f"run{n}.words")

    def slots(self, blocks: Sequence[Block]) -> None:
        """Where the entry keeps what it changes: in the words, so that a later call finds it."""
        for name in (*STATE, "site"):
            self.lines.append(f"%{name}.slot = getelementptr i64, ptr %args, i64 {ARGUMENTS.index(name)}")
        for n in range(count_repeats(blocks)):
            self.lines.append(f"%repeat{n}.slot = getelementptr i64, ptr %args, i64 {self.first_counter + n}")
