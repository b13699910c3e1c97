"""Fold accepted tokens into a pool that keeps the keys first."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=2)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["checkpoint_state"] = inputs["checkpoint_state"].transpose(-1, -2)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
