pools = {name: inputs[name].shape[0] for name in ("recurrent_state", "cs_q", "cs_k", "cs_v")}
if len(set(pools.values())) > 1:
    raise ValueError(f"pool sizes differ: {pools}")
