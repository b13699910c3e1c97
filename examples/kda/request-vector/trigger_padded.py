"""Fold accepted tokens with the slots of a batch that was padded to three."""

import torch
from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["ssm_state_indices"] = torch.nn.functional.pad(inputs["ssm_state_indices"], (0, 1), value=-1)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
