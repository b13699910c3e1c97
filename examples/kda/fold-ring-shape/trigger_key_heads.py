"""Fold accepted tokens; the key ring has one head and the call says two."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["num_k_heads"] = 2
inputs["checkpoint_state"] = inputs["checkpoint_state"].repeat(1, 2, 1, 1)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
