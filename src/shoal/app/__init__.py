"""The app: the whole product in the browser of the person who signs, on their own machine.

A shell: pages and clicks. Every number comes from the functions of the command line, every click writes the plan that
repeats it, and whatever takes time runs in a process of its own.
"""

from shoal.app.server import Start, serve

__all__ = ["Start", "serve"]
