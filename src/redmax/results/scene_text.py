"""The scene of a model as text, and back."""

from __future__ import annotations

from redmax.errors import RedmaxError
from redmax.model.model import Model


def scene_text(model: Model) -> tuple[str, str]:
    """The scene as YAML and "", or "" and why there is none."""
    from redmax.io import scene_data  # late, as in `model_from`: `import redmax` stays quick
    from redmax.io.yaml_text import dumped

    if model.scene is None:
        return "", "the model was not made from a scene."
    try:
        return dumped(scene_data(model.scene)), ""
    except RedmaxError as error:
        return "", str(error)


def prescribed(model: Model) -> list[str]:
    """Joints whose accelerations are given from outside, which no scene says."""
    return [link.joint_name for link, p in zip(model.links, model.prescribed, strict=True) if p and link.motion is None]


def model_from(text: str, given: list[str] | None = None) -> Model:
    """given: the joints that `prescribed` found."""
    from redmax.io import loads

    model = loads(text).model()
    return model.with_prescribed(given) if given else model
