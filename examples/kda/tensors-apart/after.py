"""Fold accepted tokens; the accept lengths have no memory yet."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["accept_lens"] = inputs["accept_lens"].clone()
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
