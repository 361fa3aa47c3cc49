"""Published scenes that the catalogue does not hold yet, and what each is waiting for."""

FRICTION = "friction"

WAITING: dict[str, str] = {
    "redmax:27": FRICTION,
    "redmax:28": FRICTION,
    "redmax:29": FRICTION,
    "redmax:30": FRICTION,
    "redmax:31": FRICTION,
    "redmax:33": FRICTION,
    "redmax-diff:11": "contact",
}
