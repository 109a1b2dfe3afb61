"""What can go wrong between the log and its rows."""


class EngineError(Exception):
    """The base of all below."""


class Overtaken(EngineError):
    """Another writer moved the position: this one no longer owns the partition, or retells what is folded."""


class VersionDiffers(EngineError):
    """The live rows were made by another version of the projection."""


class NotEqual(EngineError):
    """Two schemas that should hold the same rows do not."""
