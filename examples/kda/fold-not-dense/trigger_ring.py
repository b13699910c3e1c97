"""Fold accepted tokens from the first half of longer rings."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=2)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

for name in ("rawv_cache", "rawk_cache", "gk_cache", "beta_cache"):
    inputs[name] = inputs[name][:, :, :4]
inputs["max_cache_len"] = 4
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
