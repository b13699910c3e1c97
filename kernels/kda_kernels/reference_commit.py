"""Float64 references of the commit step: the fold of the rings and the convolution rollback.

They index with Python integers, one request after another, so that the meaning of every skipped
request stands in one `continue`.
"""

from __future__ import annotations

from torch import Tensor

from kda_kernels.reference_math import f64, l2_normalise


def commit_kda_replayssm_spec(
    checkpoint_state: Tensor,
    rawv_cache: Tensor,
    rawk_cache: Tensor,
    gk_cache: Tensor,
    beta_cache: Tensor,
    ssm_state_indices: Tensor,
    accept_lens: Tensor,
    max_cache_len: int | None = None,
    num_k_heads: int | None = None,
    mamba_track_indices: Tensor | None = None,
    mamba_steps_to_track: Tensor | None = None,
    use_qk_l2norm_in_kernel: bool = True,
) -> Tensor:
    """Fold the accepted ring entries of every live request into its state.

    `max_cache_len` and `num_k_heads` are accepted so that one set of keywords serves the op as
    well; the rings' shapes say both.

    Args:
        checkpoint_state: [P, HV, V, K]; not written.
        rawv_cache: [P, HV, L, V]; rawk_cache: [P, H, L, K]; gk_cache: [P, HV, L, K], log decay;
            beta_cache: [P, HV, L], write strength.
        ssm_state_indices: [N], pool slots; a negative slot is skipped.
        accept_lens: [N], tokens to fold; 0 leaves the slot as it is.
        mamba_track_indices: [N], slots that receive the state after step
            `mamba_steps_to_track[n]`; negative for none.
        use_qk_l2norm_in_kernel: whether the rings hold keys before their L2 normalisation.

    Returns:
        The pool after the fold, float64.
    """
    del max_cache_len, num_k_heads
    pool = f64(checkpoint_state)
    groups = rawv_cache.shape[1] // rawk_cache.shape[1]
    for n, slot in enumerate(ssm_state_indices.tolist()):
        accepted = min(int(accept_lens[n]), rawv_cache.shape[2])
        if slot < 0 or accepted <= 0:
            continue
        k = f64(rawk_cache[slot]).repeat_interleave(groups, dim=0)  # [HV, L, K]
        if use_qk_l2norm_in_kernel:
            k = l2_normalise(k)
        v, gamma, beta = f64(rawv_cache[slot]), f64(gk_cache[slot]), f64(beta_cache[slot])
        S = f64(checkpoint_state[slot])  # [HV, V, K]
        for t in range(accepted):
            S = S * gamma[:, t, None, :].exp()
            error = (v[:, t] - (S * k[:, t, None, :]).sum(-1)) * beta[:, t, None]
            S = S + error[:, :, None] * k[:, t, None, :]
            if mamba_track_indices is None or mamba_steps_to_track is None:
                continue
            track = int(mamba_track_indices[n])
            if track >= 0 and t == int(mamba_steps_to_track[n]):
                pool[track] = S
        pool[slot] = S
    return pool


def rollback_conv_window(
    window: Tensor,
    intermediate: Tensor,
    ssm_state_indices: Tensor,
    intermediate_state_indices: Tensor,
    accept_lens: Tensor,
) -> Tensor:
    """One stream's window pool after the rollback.

    Args:
        window: [P, C, 3]; not written.
        intermediate: [R, T1, C, 3], the window after every token.
        ssm_state_indices, intermediate_state_indices, accept_lens: [N].

    Returns:
        [P, C, 3], float64: slot n holds the window after its last accepted token.
    """
    pool = f64(window)
    slots, rows = ssm_state_indices.tolist(), intermediate_state_indices.tolist()
    for slot, row, accepted in zip(slots, rows, accept_lens.tolist(), strict=True):
        if slot >= 0 and accepted > 0:
            pool[slot] = f64(intermediate[row, min(accepted, intermediate.shape[1]) - 1])
    return pool


def commit_snapshots(
    recurrent_state: Tensor,
    intermediate_ssm: Tensor,
    ssm_state_indices: Tensor,
    intermediate_state_indices: Tensor,
    accept_lens: Tensor,
) -> Tensor:
    """The state pool [P, H, V, K], float64, after copying each request's accepted snapshot."""
    pool = f64(recurrent_state)
    slots, rows = ssm_state_indices.tolist(), intermediate_state_indices.tolist()
    for slot, row, accepted in zip(slots, rows, accept_lens.tolist(), strict=True):
        if slot >= 0 and accepted > 0:
            pool[slot] = f64(intermediate_ssm[row, min(accepted, intermediate_ssm.shape[1]) - 1])
    return pool
