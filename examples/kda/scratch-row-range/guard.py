live = inputs["intermediate_state_indices"][inputs["ssm_state_indices"] >= 0]
if live.min() < 0 or live.max() >= inputs["intermediate_conv_q"].shape[0]:  # waits for the device
    raise ValueError(f"scratch rows {live.tolist()} of {inputs['intermediate_conv_q'].shape[0]}")
