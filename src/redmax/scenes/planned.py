"""Published scenes that the catalogue does not hold yet, and what each is waiting for."""

WAITING: dict[str, str] = {
    "redmax:30": "friction in the joint that closes its loop",
    "redmax:31": "contact with the floor",
    "redmax:33": "contact with the floor",
    "redmax-diff:11": "contact",
}
