if slots.max() >= inputs["recurrent_state"].shape[0]:  # slots is still a host tensor here
    raise ValueError(f"slots {slots.tolist()} in a pool of {inputs['recurrent_state'].shape[0]}")
