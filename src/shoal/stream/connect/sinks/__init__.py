"""Where released records go: lines of files and pipes, Kafka topics, Valkey or Redis streams."""

from shoal.stream.connect.sinks.base import Output, Sink

__all__ = ["Output", "Sink"]
