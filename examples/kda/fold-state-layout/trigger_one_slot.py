"""Fold accepted tokens into the state of one request, without a pool."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["checkpoint_state"] = inputs["checkpoint_state"][0]
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
