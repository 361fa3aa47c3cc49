"""Plain data as YAML: short lists in one line, poses as rows of six numbers in a line each, long texts as blocks, no aliases."""

from __future__ import annotations

from typing import Any

import yaml

from redmax.io.scalars import scalar

WIDTH = 120


class Dumper(yaml.SafeDumper):
    """Lists of numbers go in one line, and so do small mappings."""

    def ignore_aliases(self, data: Any) -> bool:
        """Nothing is written as an alias of what stands above."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists within mappings are indented too."""
        super().increase_indent(flow, False)


def text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """A text: a block if it has several lines, quoted if it would be read as something else."""
    style = "|" if "\n" in text else "'" if scalar(text) != text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


def list_node(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.Node:
    """A list, in one line if it is short."""
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_short(items))


def mapping_node(dumper: yaml.SafeDumper, items: dict[str, Any]) -> yaml.Node:
    """A mapping, in one line if it is short."""
    return dumper.represent_mapping("tag:yaml.org,2002:map", items.items(), flow_style=is_short(items))


def is_short(value: Any) -> bool:
    """Whether it fits in a line, or is nothing but numbers."""
    fits = "\n" not in str(value) and length(value) <= 80
    return fits or (isinstance(value, list) and all(map(is_plain, value)) and not are_rows(value))


def are_rows(value: list[Any]) -> bool:
    """Whether it is poses as rows of six numbers, which a person may want to edit."""
    return all(isinstance(row, list) and len(row) == 6 and not any(isinstance(x, list) for x in row) for row in value)


def is_plain(value: Any) -> bool:
    """Whether a value holds no mapping and no text."""
    return not isinstance(value, dict | str) and (not isinstance(value, list) or all(map(is_plain, value)))


def length(value: Any) -> int:
    """About how many characters a value takes."""
    return len(repr(value))


Dumper.add_representer(str, text_node)
Dumper.add_representer(list, list_node)
Dumper.add_representer(dict, mapping_node)


def dumped(data: dict[str, Any]) -> str:
    """The text of a file with these data."""
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, width=WIDTH, allow_unicode=True)
