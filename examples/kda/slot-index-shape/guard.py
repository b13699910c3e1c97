requests = inputs["cu_seqlens"].numel() - 1
if inputs["ssm_state_indices"].shape != (requests,):
    raise ValueError(f"{tuple(inputs['ssm_state_indices'].shape)} slots for {requests} requests")
