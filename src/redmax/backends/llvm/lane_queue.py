"""Worlds that make room for others: where a world is done with the loop that a program ends with, its lane takes the next one.

Worlds may need very different numbers of turns, such as steps whose length each chooses by itself. Lanes do not wait for the slowest then:

    begin:  the worlds that are fresh are read, and what stands before the loop runs for them; others keep what they have
    turn:   the body, until some world is done
    done:   its lane takes the next world of the queue, which is fresh; a lane for which none is left idles

Which lane a world is in, and who is beside it, makes no difference to its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from redmax.backends.llvm.lane_flow import LaneDriverWriter
from redmax.backends.llvm.lane_guard import GUARD, OF_LANES, flagged, pack_lane_text
from redmax.backends.llvm.target import element_of, lanes_of
from redmax.program.blocks import Block, RepeatRuns
from redmax.program.plan import count_repeats


class QueueDriverWriter(LaneDriverWriter):
    """Writes the entry function of a program that ends with a loop; the mask of that loop is of the lanes that have a world."""

    def slots(self, blocks: Sequence[Block]) -> None:
        """Beside the others, the next world of the queue and, as one more mask, the lanes whose world is fresh."""
        super().slots(blocks)
        flags = len(flagged(blocks))
        at = self.first_counter + count_repeats(blocks) + len(OF_LANES) * lanes_of(self.ty) + flags * len(GUARD)
        self.lines.append(f"%queue.slot = getelementptr i64, ptr %args, i64 {at}")
        self.lines.append(f"%mask{flags}.slot = getelementptr i64, ptr %args, i64 {at + 1}")

    def texts(self) -> list[str]:
        """The functions that the entry calls."""
        return [*super().texts(), pack_lane_text(self.ty)]

    def worlds_in_turn(self, blocks: Sequence[Block]) -> None:
        """Begin with as many as there are lanes; then to block `finish`."""
        *before, loop = blocks
        assert isinstance(loop, RepeatRuns)
        fresh, running = len(flagged(blocks)), len(flagged(before))
        self.fill(fresh, running)
        self.begin_worlds(before, fresh, running)
        self.turn(loop, running)
        self.next_worlds(fresh, running)

    def fill(self, fresh: int, running: int) -> None:
        """The first worlds; lanes beyond the last world repeat it, and do not count."""
        lanes, emit = lanes_of(self.ty), self.lines.append
        emit("%any = icmp sgt i64 %worlds, 0\nbr i1 %any, label %fill, label %finish\nfill:")
        emit(f"%crowd = icmp sgt i64 %worlds, {lanes}")
        emit(f"%few = select i1 %crowd, i64 {lanes}, i64 %worlds")
        emit(f"store i64 {lanes}, ptr %here.slot")
        emit("store i64 %few, ptr %queue.slot")
        emit("%bit.few = shl i64 1, %few\n%first.few = sub i64 %bit.few, 1")
        emit(f"store i64 %first.few, ptr %mask{fresh}.slot\nstore i64 %first.few, ptr %mask{running}.slot")
        self.begin_group()
        self.pack_group()

    def begin_worlds(self, before: Sequence[Block], fresh: int, running: int) -> None:
        """What stands before the loop, for fresh worlds."""
        emit = self.lines.append
        emit("br label %fresh.begin\nfresh.begin:")
        emit(f"%fresh.mask = load i64, ptr %mask{fresh}.slot\n%fresh.running = load i64, ptr %mask{running}.slot")
        emit("%fresh.all = icmp eq i64 %fresh.mask, %fresh.running")
        emit("br i1 %fresh.all, label %fresh.body, label %fresh.part\nfresh.part:")
        emit(f"call void @save({self.guard(running)})\nbr label %fresh.body\nfresh.body:")
        self.inside = fresh
        self.blocks(before)
        emit(f"%begun.mask = load i64, ptr %mask{fresh}.slot\n%begun.running = load i64, ptr %mask{running}.slot")
        emit("%begun.all = icmp eq i64 %begun.mask, %begun.running")
        emit("br i1 %begun.all, label %begun, label %begun.part\nbegun.part:")
        emit(f"call void @restore({self.guard(running)}, i64 %begun.mask)\nbr label %begun\nbegun:")
        emit(f"store i64 0, ptr %mask{fresh}.slot\nbr label %turn.test")

    def turn(self, loop: RepeatRuns, running: int) -> None:
        """The body, while no world is done."""
        emit = self.lines.append
        self.masks, self.repeats, self.inside = self.masks + 1, self.repeats + 1, running
        emit("turn.test:")
        emit(f"%turn.running = load i64, ptr %mask{running}.slot")
        emit(f"%turn.done = and i64 {self.set_lanes(loop.until, 'turn.stop')}, %turn.running")
        emit("%turn.go = icmp eq i64 %turn.done, 0\nbr i1 %turn.go, label %turn.ask, label %queue.begin")
        self.ask("turn", "turn.test")
        self.blocks(loop.body)
        emit("br label %turn.test")

    def next_worlds(self, fresh: int, running: int) -> None:
        """Lane after lane of those that are done: the next world, or none. Over when no lane has one."""
        lanes, emit = lanes_of(self.ty), self.lines.append
        emit("queue.begin:\nbr label %queue.head\nqueue.head:")
        emit("%queue.l = phi i64 [ 0, %queue.begin ], [ %queue.l1, %queue.next ]")
        emit(f"%queue.more = icmp slt i64 %queue.l, {lanes}")
        emit("br i1 %queue.more, label %queue.look, label %queue.end\nqueue.look:")
        emit("%queue.shifted = lshr i64 %turn.done, %queue.l\n%queue.free = trunc i64 %queue.shifted to i1")
        emit("br i1 %queue.free, label %queue.lane, label %queue.next\nqueue.lane:")
        emit("%queue.bit = shl i64 1, %queue.l\n%queue.world = load i64, ptr %queue.slot")
        emit("%queue.left = icmp slt i64 %queue.world, %worlds")
        emit("br i1 %queue.left, label %queue.take, label %queue.none\nqueue.none:")
        self.flip("none", running)
        emit("br label %queue.next\nqueue.take:")
        self.flip("take", fresh)
        emit("%queue.following = add i64 %queue.world, 1\nstore i64 %queue.following, ptr %queue.slot")
        self.read_world()
        emit("br label %queue.next\nqueue.next:\n%queue.l1 = add i64 %queue.l, 1\nbr label %queue.head\nqueue.end:")
        emit(f"%queue.fresh = load i64, ptr %mask{fresh}.slot\n%queue.some = icmp ne i64 %queue.fresh, 0")
        emit("br i1 %queue.some, label %fresh.begin, label %queue.idle\nqueue.idle:")
        emit(f"%queue.running = load i64, ptr %mask{running}.slot\n%queue.over = icmp eq i64 %queue.running, 0")
        emit("br i1 %queue.over, label %finish, label %turn.test")

    def flip(self, name: str, mask: int) -> None:
        """The bit of this lane in a mask."""
        emit = self.lines.append
        emit(f"%{name}.old = load i64, ptr %mask{mask}.slot\n%{name}.new = xor i64 %{name}.old, %queue.bit")
        emit(f"store i64 %{name}.new, ptr %mask{mask}.slot")

    def read_world(self) -> None:
        """The inputs of world %queue.world into lane %queue.l, which has no sample of it yet."""
        emit, element = self.lines.append, element_of(self.ty)
        for name, value in zip(OF_LANES, ("0", "0", "%queue.world"), strict=True):
            emit(f"%take.{name} = getelementptr i64, ptr %lane.{name}, i64 %queue.l\nstore i64 {value}, ptr %take.{name}")
        emit(f"%take.lane = getelementptr {element}, ptr %workspace, i64 %queue.l")
        for n in range(self.inputs):
            emit(f"%take.o{n} = mul i64 %queue.world, %in{n}.stride")
            emit(f"%take.at{n} = getelementptr {element}, ptr %in{n}.array, i64 %take.o{n}")
            self.note(f"take{n}", f"@pack_lane(ptr %take.at{n}, ptr %in{n}.slots, i64 %in{n}.columns, ptr %take.lane)")
