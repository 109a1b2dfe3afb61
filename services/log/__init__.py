"""The log as processes use it: connect, make and check its streams, append under a fence, read a partition, hold a lease."""
