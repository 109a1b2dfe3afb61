"""The names of the headers that JetStream and this package put on messages (design §10)."""

from contracts import streams

WRITTEN_BY = streams.WRITTEN_BY
BATCH = "Webmail-Batch"
"""On a fact that is published alone: the id by which its writer recognises it after an unknown answer."""

BATCH_ID = "Nats-Batch-Id"
BATCH_SEQUENCE = "Nats-Batch-Sequence"
BATCH_COMMIT = "Nats-Batch-Commit"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_UNDER = "Nats-Expected-Last-Subject-Sequence-Subject"
MESSAGE_ID = "Nats-Msg-Id"
TTL = "Nats-TTL"
STATUS = "Status"
STREAM = "Nats-Stream"
SUBJECT = "Nats-Subject"
SEQUENCE = "Nats-Sequence"
LAST_SEQUENCE = "Nats-Last-Sequence"
UP_TO_SEQUENCE = "Nats-UpTo-Sequence"
KV_OPERATION = "KV-Operation"
