"""Fold accepted tokens for a pool whose slot 0 is reserved as null."""

from kda_kernels import commit_kda_replayssm_spec, reference_commit, sample_fold_inputs

inputs = sample_fold_inputs(heads=1)
expected = reference_commit.commit_kda_replayssm_spec(**inputs)

inputs["null_block_id"] = 0
commit_kda_replayssm_spec(**inputs)
actual = inputs["checkpoint_state"]
