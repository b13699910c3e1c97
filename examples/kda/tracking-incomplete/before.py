"""Fold accepted tokens and keep a snapshot of each state in a tracking slot."""

import torch
from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["mamba_track_indices"] = torch.full_like(inputs["accept_lens"], -1)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
