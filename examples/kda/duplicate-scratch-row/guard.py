live = inputs["intermediate_state_indices"][inputs["ssm_state_indices"] >= 0]
live = live.tolist()  # waits for the device: not in a captured step
if len(set(live)) < len(live):
    raise ValueError(f"scratch rows {live} are not distinct")
