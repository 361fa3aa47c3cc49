"""Published scenes that the catalogue does not hold yet, and what each is waiting for."""

LOOPS, FRICTION = "closed loops", "friction"

WAITING: dict[str, str] = {
    "redmax:4": LOOPS,
    "redmax:6": "joint limits as constraints",
    "redmax:8": LOOPS,
    "redmax:15": LOOPS,
    "redmax:27": FRICTION,
    "redmax:28": FRICTION,
    "redmax:29": FRICTION,
    "redmax:30": FRICTION,
    "redmax:31": FRICTION,
    "redmax:32": LOOPS,
    "redmax:33": FRICTION,
    "redmax-diff:11": "contact",
}
