"""Published scenes that the catalogue does not hold yet, and what each is waiting for."""

LOOPS, LIMITS = "closed loops", "joint limits"
SPRINGS, FRICTION = "springs between bodies", "friction"

WAITING: dict[str, str] = {
    "redmax:4": LOOPS,
    "redmax:6": LIMITS,
    "redmax:8": LOOPS,
    "redmax:10": "damping on bodies",
    "redmax:12": "deformable springs",
    "redmax:15": LOOPS,
    "redmax:23": SPRINGS,
    "redmax:24": SPRINGS,
    "redmax:27": FRICTION,
    "redmax:28": FRICTION,
    "redmax:29": FRICTION,
    "redmax:30": FRICTION,
    "redmax:31": FRICTION,
    "redmax:32": LOOPS,
    "redmax:33": FRICTION,
    "redmax-diff:10": SPRINGS,
    "redmax-diff:11": "contact",
    "redmax-diff:12": SPRINGS,
    "redmax-diff:13": "cables",
    "redmax-diff:14": LIMITS,
}
