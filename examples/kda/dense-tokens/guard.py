tokens, requests = inputs["x_q"].shape[1], inputs["cu_seqlens"].numel() - 1
if requests < 1 or tokens < requests or tokens % requests:
    raise ValueError(f"{tokens} tokens cannot be split evenly over {requests} requests")
