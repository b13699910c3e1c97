if len(set(inputs["ssm_state_indices"].tolist())) < 2:
    raise ValueError("two live requests name one slot")
