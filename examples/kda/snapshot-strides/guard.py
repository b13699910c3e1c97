if inputs["intermediate_ssm"].stride()[2:] != (128 * 128, 128, 1):
    raise ValueError(f"snapshots have strides {inputs['intermediate_ssm'].stride()}")
