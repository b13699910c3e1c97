if inputs["intermediate_ssm"].dtype != inputs["recurrent_state"].dtype:
    raise TypeError(f"scratch is {inputs['intermediate_ssm'].dtype}, the pool is fp32")
