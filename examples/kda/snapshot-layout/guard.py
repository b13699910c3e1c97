tokens_per_request = inputs["x_q"].shape[1] // (inputs["cu_seqlens"].numel() - 1)
if inputs["intermediate_ssm"].shape[1] < tokens_per_request:
    steps = inputs["intermediate_ssm"].shape[1]
    raise ValueError(f"scratch has {steps} steps for {tokens_per_request} tokens per request")
