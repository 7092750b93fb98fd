"""The stages of a run as a plan asks for them: inputs, forecast, steering, blocks, groups, released columns."""
