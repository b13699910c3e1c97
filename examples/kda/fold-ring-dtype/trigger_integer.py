"""Fold accepted tokens; the value ring was quantised to int8."""

import torch
from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["rawv_cache"] = inputs["rawv_cache"].to(torch.int8)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
