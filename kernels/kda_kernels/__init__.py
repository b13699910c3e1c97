"""Kimi Delta Attention decode kernels in Triton, each with a float64 reference."""

from kda_kernels import reference
from kda_kernels.commit import (
    commit_after_verify,
    commit_kda_replayssm_spec,
    commit_kda_replayssm_spec_all_layers,
    commit_keywords,
)
from kda_kernels.conv1d import causal_conv1d_update
from kda_kernels.decode import kda_decode
from kda_kernels.errors import (
    BackendUnavailableError,
    CodedError,
    ContractError,
    DeviceContractError,
)
from kda_kernels.fallback import kda_decode_fallback
from kda_kernels.inputs import sample_inputs
from kda_kernels.inputs_ops import (
    sample_conv_inputs,
    sample_decode_inputs,
    sample_fallback_inputs,
    sample_fold_inputs,
    sample_norm_inputs,
    sample_recurrent_inputs,
)
from kda_kernels.onorm import kda_onorm_apply
from kda_kernels.recurrent import fused_recurrent_kda
from kda_kernels.routing import (
    kda_verify,
    slots_from_null_block,
    uniform_mtp_batch,
)
from kda_kernels.verify import fused_kda_decode_mtp_dspark

__all__ = [
    "BackendUnavailableError",
    "CodedError",
    "ContractError",
    "DeviceContractError",
    "causal_conv1d_update",
    "commit_after_verify",
    "commit_kda_replayssm_spec",
    "commit_kda_replayssm_spec_all_layers",
    "commit_keywords",
    "fused_kda_decode_mtp_dspark",
    "fused_recurrent_kda",
    "kda_decode",
    "kda_decode_fallback",
    "kda_onorm_apply",
    "kda_verify",
    "reference",
    "sample_conv_inputs",
    "sample_decode_inputs",
    "sample_fallback_inputs",
    "sample_fold_inputs",
    "sample_inputs",
    "sample_norm_inputs",
    "sample_recurrent_inputs",
    "slots_from_null_block",
    "uniform_mtp_batch",
]

__version__ = "0.1.0"
