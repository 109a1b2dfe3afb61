"""The frozen words that every process and plugin speaks: facts, events, subjects, streams, ids, ports."""
