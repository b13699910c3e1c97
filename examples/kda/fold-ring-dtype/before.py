"""Fold accepted tokens; the decay ring was allocated in bf16 like the others."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["gk_cache"] = inputs["gk_cache"].bfloat16()
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
