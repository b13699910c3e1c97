"""The error reference for GPU kernels: paste a traceback, read a fix that was executed."""

__version__ = "0.1.0"
