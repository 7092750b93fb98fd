"""Where the messages of a stream come from: lines of files and pipes, Kafka topics, Valkey or Redis streams."""

from shoal.stream.connect.sources.base import Message, Source

__all__ = ["Message", "Source"]
