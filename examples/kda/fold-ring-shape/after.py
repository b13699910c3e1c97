"""Fold accepted tokens; the rings are shorter than the length that is passed."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["max_cache_len"] = inputs["rawv_cache"].shape[2]
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
