"""Fold accepted tokens; the strength ring was allocated in bf16."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["beta_cache"] = inputs["beta_cache"].bfloat16()
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
