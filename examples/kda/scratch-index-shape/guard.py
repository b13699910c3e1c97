requests = inputs["cu_seqlens"].numel() - 1
if inputs["intermediate_state_indices"].shape != (requests,):
    raise ValueError(f"{inputs['intermediate_state_indices'].numel()} rows, {requests} requests")
