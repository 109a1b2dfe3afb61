"""Facts whose shape was given up: how each old body becomes one of today.

A retired tag stays here for ever, as does its golden file: the log is never rewritten.
"""

from collections.abc import Callable

Body = dict[str, object]

UPCASTS: dict[str, Callable[[Body], Body]] = {}
