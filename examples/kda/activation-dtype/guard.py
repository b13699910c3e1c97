for name in ("x_q", "x_k", "x_v", "g", "beta"):
    if str(inputs[name].dtype) != "torch.bfloat16":
        raise TypeError(f"{name} is {inputs[name].dtype}, want the raw bf16 projection")
