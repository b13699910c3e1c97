tokens_per_request = inputs["x_q"].shape[1] // (inputs["cu_seqlens"].numel() - 1)
for name in ("intermediate_conv_q", "intermediate_conv_k", "intermediate_conv_v"):
    if inputs[name].shape[1] < tokens_per_request:
        raise ValueError(f"{name} has {inputs[name].shape[1]} steps, want {tokens_per_request}")
