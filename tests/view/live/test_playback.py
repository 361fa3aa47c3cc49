"""Time that is shown follows the clock on the wall, at the chosen speed, between the ends."""

from hypothesis import given
from hypothesis import strategies as st

from redmax.view.live.playback import SPEEDS, Playback

ticks = st.lists(st.floats(0, 0.2), max_size=30)


@given(ticks, st.sampled_from(list(SPEEDS.values())))
def test_time_is_the_clock_times_the_speed_until_the_end(elapsed, speed):
    playback = Playback(speed=speed)
    for dt in elapsed:
        playback.arrive(playback.wanted(dt, 1.0), 0.0, 1.0)
    assert abs(playback.t - min(speed * sum(elapsed), 1.0)) < 1e-9
    assert playback.playing == (playback.t < 1.0)


@given(ticks)
def test_a_loop_never_stops_and_stays_within_the_ends(elapsed):
    playback = Playback(speed=4.0, loop=True, t=0.5)
    for dt in elapsed:
        playback.arrive(playback.wanted(dt, 1.0), 0.5, 1.0)
        assert playback.playing
        assert 0.5 <= playback.t < 1.0


def test_time_waits_for_what_is_not_computed_yet():
    playback = Playback(t=0.2)
    playback.arrive(min(playback.wanted(0.5, 10.0), 0.3), 0.0, 10.0)
    assert playback.t == 0.3
    assert playback.playing


def test_a_pause_stops_time_and_play_at_the_end_begins_again():
    playback = Playback(t=0.4)
    playback.toggle(0.0, 1.0)
    assert playback.wanted(5.0, 1.0) == 0.4
    playback.t = 1.0
    playback.toggle(0.0, 1.0)
    assert playback.playing
    assert playback.t == 0.0
