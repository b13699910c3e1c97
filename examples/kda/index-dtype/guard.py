for name in ("ssm_state_indices", "intermediate_state_indices", "cu_seqlens"):
    if inputs[name].dtype != torch.int32:
        raise TypeError(f"{name} is {inputs[name].dtype}, want torch.int32")
