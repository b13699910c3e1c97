"""Kimi Delta Attention decode kernels in Triton, each with a float64 reference."""

from kda_kernels import reference
from kda_kernels.errors import (
    BackendUnavailableError,
    CodedError,
    ContractError,
    DeviceContractError,
)
from kda_kernels.inputs import sample_inputs
from kda_kernels.verify import fused_kda_decode_mtp_dspark

__all__ = [
    "BackendUnavailableError",
    "CodedError",
    "ContractError",
    "DeviceContractError",
    "fused_kda_decode_mtp_dspark",
    "reference",
    "sample_inputs",
]

__version__ = "0.1.0"
