"""Fold accepted tokens of one layer; a ring comes with all layers."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["gk_cache"] = inputs["gk_cache"].unsqueeze(0)
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
