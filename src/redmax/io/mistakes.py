"""What pydantic finds wrong with the items of a file, as sentences at their lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from redmax.io.problems import MOST, among, shown
from redmax.io.source import Item
from redmax.io.structure import Entry


@dataclass(frozen=True)
class Mistake:
    """path: the items from the outermost to the one that is wrong; needs: what it lacks, and then the message is who lacks it."""

    path: tuple[Item, ...]
    line: int
    message: str
    needs: tuple[str, ...] = ()


def mistakes(model: type[Entry], item: Item, depth: int, extra: tuple[str, ...] = ()) -> list[Mistake]:
    """depth: how many levels below the item the model looks at; extra: names that belong there, but not to the model."""
    given = opened(item, depth)
    if extra and isinstance(given, dict):
        given = {name: value for name, value in given.items() if name not in extra}
    try:
        model.model_validate(given)
    except ValidationError as error:
        found = [mistake(model, item, e, extra) for e in error.errors(include_url=False, include_input=False)[:MOST]]
        return list({(m.line, m.message): m for m in joined(found)}.values())
    return []


def opened(item: Item, depth: int) -> Any:
    """Values without their lines, down to some depth; deeper lists and mappings hold items."""
    if depth > 0 and isinstance(item.value, dict):
        return {name: opened(value, depth - 1) for name, value in item.value.items()}
    if depth > 0 and isinstance(item.value, list):
        return [opened(value, depth - 1) for value in item.value]
    return item.value


def mistake(model: type[Entry], item: Item, error: Any, extra: tuple[str, ...]) -> Mistake:
    """The items on the way to a mistake, and the model that each belongs to, say what to call it."""
    path, holder, owner, name, expected, line = [item], model, model, "", "", item.line
    for part in error["loc"]:
        at = path[-1]
        inside = at.value[part] if isinstance(at.value, dict) and part in at.value else None
        if isinstance(part, int) and isinstance(at.value, list):
            inside = at.value[part]
        if isinstance(part, str) and isinstance(at.value, dict):
            line = (at.lines or {}).get(part, at.line)
        if inside is None:
            break
        path.append(inside)
        line = inside.line if isinstance(part, int) else line
        field = owner.model_fields.get(part) if isinstance(part, str) else None
        if field is None and isinstance(part, str) and name:
            name = f"{part} of {name}"
        if field is not None:
            name, expected, holder, owner = str(part), field.description or "", owner, model_in(field.annotation) or owner
    kind, last = error["type"], error["loc"][-1] if error["loc"] else ""
    if kind == "extra_forbidden":
        return Mistake(tuple(path), line, f"{owner.owner} has no {last!r}. {among(last, [*owner.model_fields, *extra])}")
    if kind == "missing":
        return Mistake(tuple(path), path[-1].line, owner.owner, (str(last),))
    if kind == "value_error":
        return Mistake(tuple(path), line, f"{error['ctx']['error']}.")
    if kind in ("model_type", "model_attributes_type"):
        fields = ", ".join(list(owner.model_fields)[:6])
        return Mistake(tuple(path), path[-1].line, f"{owner.owner} is {shown(path[-1])}, expected a mapping with {fields} and so on.")
    return Mistake(tuple(path), line, other(holder, kind, name, path[-1], expected, error))


def other(holder: type[Entry], kind: str, name: str, item: Item, expected: str, error: Any) -> str:
    """The sentence for a mistake that is neither a name too many nor one that is missing."""
    value, of = shown(item), "" if holder.owner == "a scene" else f" of {holder.owner}"
    if kind == "dict_type" and not expected:
        return f"{name} is {value}, expected a mapping of names."
    if kind == "list_type" and expected in ("", "a list"):
        return f"{name} is {value}, expected a list, each entry with a dash before it."
    if kind == "literal_error" and not expected:
        return f"{name}{of} is {value}. {among(item.value, words_in(holder.model_fields[name].annotation))}"
    return f"{name}{of} is {value}, expected {expected or error['msg']}."


def model_in(annotation: Any) -> type[Entry] | None:
    """The model that a list, a mapping or an option of an annotation is of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation  # type: ignore[return-value]
    return next((found for a in get_args(annotation) if (found := model_in(a))), None)


def words_in(annotation: Any) -> list[str]:
    """The words that an annotation lists."""
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for part in get_args(annotation) for word in words_in(part)]


def joined(found: list[Mistake]) -> list[Mistake]:
    """All that one mapping needs in one sentence."""
    result: list[Mistake] = []
    for m in found:
        before = result[-1] if result else None
        if before is not None and before.path == m.path and before.needs and m.needs:
            result[-1] = replace(before, needs=before.needs + m.needs)
        else:
            result.append(m)
    return [replace(m, message=needed(m)) if m.needs else m for m in result]


def needed(found: Mistake) -> str:
    """The sentence for names that are missing."""
    how = " Write redmax: 1 as its first line." if "redmax" in found.needs else ""
    return f"{found.message} needs {' and '.join(map(repr, found.needs))}.{how}"
