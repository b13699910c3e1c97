if inputs["cu_seqlens"].ndim != 1:
    raise ValueError(f"cu_seqlens is {tuple(inputs['cu_seqlens'].shape)}, want [N + 1]")
