"""What stands around the engine: sources, sinks, lanes, the folder of the state, metrics, traces, dead letters."""
