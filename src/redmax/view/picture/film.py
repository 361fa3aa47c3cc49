"""A film of a stage: pictures at equal steps of time, given to ffmpeg one by one."""

import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import as_float, brief
from redmax.backends.llvm.threads import threads
from redmax.errors import RedmaxError
from redmax.run.progress import showing_parts
from redmax.view.picture.pictures import painter
from redmax.view.picture.size import Size, checked_size
from redmax.view.stage import Stage
from redmax.writing import beside

BT709 = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709")  # which colours the numbers mean
# superfast at 22 is as near to the pictures as medium at 19, in a third of the time, in files that are larger by three quarters
H264 = ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "22", "-preset", "superfast", "-vf", "scale=out_color_matrix=bt709", *BT709)
ENCODERS: dict[str, tuple[str, ...]] = {
    ".mp4": (*H264, "-movflags", "+faststart"),  # plays while it loads
    ".webp": ("-c:v", "libwebp_anim", "-quality", "84", "-compression_level", "5", "-loop", "0"),
    ".gif": (),  # in two steps: see `gif`
}
PALETTE, DITHER = "palettegen=stats_mode=diff", "paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle"
MOST_FRAMES = 20_000
MOST_WORKERS = 8  # threads that paint
Progress = Callable[[int, int], object]
Paint = Callable[[float, list], NDArray[np.uint8]]


def write_film(
    path: str | Path, stage: Stage, *, size: Size = (960, 600), fps: float = 30.0, speed: float = 1.0,
    start: float | None = None, end: float | None = None, progress: Progress | bool | None = None, **look: Any,
) -> Path:  # fmt: skip
    """Write a run as MP4 (H.264), GIF or WebP, by the suffix of the path, and return the path. Needs the extra redmax[video].

    size: width and height, pixels; fps: pictures per second of the film; speed: seconds of the run per second of the film
    start, end: of the part that is shown, s; all of it unless given
    progress: True for a bar, or a function that is called with the number of pictures done, and that of all
    look: as of a picture; a transparent background needs GIF or WebP
    """
    path, size = checked_path(path, size, stage.look.but(**look).is_clear)
    times = frame_times(stage.times, fps, speed, start, end)
    paint = painter(stage, size=size, t=float(times[0]), **look).paint
    with showing_parts(progress, f"writing {path.name}") as tell:
        write_frames(path, painted(paint, times, tell), size, fps, is_clear=stage.look.but(**look).is_clear)
    return path


def write_frames(path: Path, frames: Iterable[NDArray[np.uint8]], size: Size, fps: float, is_clear: bool = False) -> None:
    """Write pictures (height, width, 3), or 4 with the opacity, as a film."""
    pixels = ("-pix_fmt", "rgba" if is_clear else "rgb24", "-s", f"{size[0]}x{size[1]}")
    source = (ffmpeg_program(), "-f", "rawvideo", *pixels, "-framerate", f"{fps:g}", "-i", "-")
    with beside(path) as draft:
        if path.suffix.lower() == ".gif":
            gif(source, frames, draft, path)
        else:
            encode((*source, *ENCODERS[path.suffix.lower()]), frames, draft, path)


def checked_path(path: str | Path, size: Size, is_clear: bool = False) -> tuple[Path, Size]:
    """A path and a size that a film can have. is_clear: whether its background is transparent."""
    path, (width, height) = Path(path), checked_size(size)
    if path.suffix.lower() not in ENCODERS:
        raise RedmaxError(f"Cannot write a film to {str(path)!r}: got suffix {path.suffix!r}, expected {', '.join(ENCODERS)}.")
    if is_clear and path.suffix.lower() == ".mp4":
        raise RedmaxError(f"Cannot write {str(path)!r} with a transparent background, which H.264 has not: write .webp or .gif.")
    if not path.parent.is_dir():
        raise RedmaxError(f"Cannot write {str(path)!r}: there is no folder {str(path.parent)!r}. Choose one that exists.")
    if path.suffix.lower() == ".mp4" and (width % 2 or height % 2):
        even = f"{width - width % 2} x {height - height % 2}"
        raise RedmaxError(f"Got size {width} x {height}, expected an even width and height, which H.264 needs: {even}.")
    return path, (width, height)


def frame_times(
    times: NDArray[np.float64], fps: float, speed: float, start: float | None = None, end: float | None = None
) -> NDArray[np.float64]:
    """Times of the pictures of a run that has samples at `times`, from the start on, as long as they do not go past the end."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not is_real(value) or not 0 < value < np.inf:
            raise RedmaxError(f"Got {name} = {brief(value)}, expected a positive number.")
    first, last = float(times[0]), float(times[-1])
    for name, value in (("start", start), ("end", end)):
        if value is not None and not is_real(value):
            raise RedmaxError(f"Got {name} = {brief(value)}, expected a time of the run, {first:g} to {last:g} s.")
    begin, stop = first if start is None else start, last if end is None else end
    slack = 1e-9 * max(abs(first), abs(last), 1.0)
    if not first - slack <= begin <= stop <= last + slack:
        raise RedmaxError(f"Got start = {begin:g} and end = {stop:g}, expected times of the run, {first:g} to {last:g} s, in this order.")
    pictures = np.floor((stop - begin) * (float(fps) / float(speed)) + 1e-6) + 1
    if not pictures <= MOST_FRAMES:
        raise RedmaxError(f"The film would have {pictures:,.0f} pictures, expected at most {MOST_FRAMES:,}: lower fps, or raise speed.")
    count = int(pictures)
    return np.minimum(begin + np.arange(count) * float(speed) / float(fps), last)


def is_real(value: object) -> bool:
    """Whether it is a number that a float can hold."""
    return isinstance(value, int | float | np.integer | np.floating) and as_float(value) is not None


def painted(paint: Paint, times: NDArray[np.float64], tell: Progress) -> Iterator[NDArray[np.uint8]]:
    """The pictures, in order; threads paint some of them side by side, each in its own memory. tell: how many are done, of how many."""
    own = local()

    def picture(t: float) -> NDArray[np.uint8]:
        own.memory = getattr(own, "memory", [])
        return paint(t, own.memory)

    workers = min(threads(), MOST_WORKERS)
    with ThreadPoolExecutor(workers) as pool:
        waiting = deque(pool.submit(picture, float(t)) for t in times[: 2 * workers])
        try:
            for i in range(len(times)):
                yield waiting.popleft().result()
                tell(i + 1, len(times))
                if i + 2 * workers < len(times):
                    waiting.append(pool.submit(picture, float(times[i + 2 * workers])))
        finally:
            for one in waiting:
                one.cancel()


def gif(source: tuple[str, ...], frames: Iterable[NDArray[np.uint8]], path: Path, name: Path) -> None:
    """Colours that fit the whole film, then the film in these; the pictures wait in a file, so that memory does not grow with them."""
    with tempfile.TemporaryDirectory() as folder:
        film, palette = Path(folder) / "film.mkv", Path(folder) / "palette.png"
        encode((*source, "-c:v", "ffv1"), frames, film, name)
        encode((source[0], "-i", str(film), "-vf", PALETTE), (), palette, name)
        encode((source[0], "-i", str(film), "-i", str(palette), "-lavfi", DITHER, "-loop", "0"), (), path, name)


def encode(command: tuple[str, ...], frames: Iterable[NDArray[np.uint8]], path: Path, name: Path | None = None) -> None:
    """Run ffmpeg with pictures on its standard input. name: what the file will be called, and is in messages."""
    with tempfile.TemporaryFile() as complaints:
        order = (command[0], "-hide_banner", "-loglevel", "error", "-y", *command[1:], str(path.absolute()))
        process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints)
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(frame.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and says why
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            process.wait()
        complaints.seek(0)
        if process.returncode:
            said = complaints.read().decode("utf-8", "replace").strip().splitlines()
            why = said[-1].removesuffix(".") if said else "nothing"
            raise RedmaxError(f"Cannot write {str(name or path)!r}: ffmpeg says: {why}.") from OSError(why)


def ffmpeg_program() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise RedmaxError("Films need the package imageio-ffmpeg: pip install 'redmax[video]'.") from error
    try:
        return get_ffmpeg_exe()
    except RuntimeError as error:
        raise RedmaxError(f"Films need the program ffmpeg, which imageio-ffmpeg did not find: {error}.") from error
