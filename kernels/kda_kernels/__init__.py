"""Kimi Delta Attention decode kernels in Triton, each with a float64 reference."""

__version__ = "0.1.0"
