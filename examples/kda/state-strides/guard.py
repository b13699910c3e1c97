state = inputs["recurrent_state"]
if state.dtype != torch.float32 or state.stride()[1:] != (128 * 128, 128, 1):
    raise ValueError(f"state pool is {state.dtype} with strides {state.stride()}")
if state.stride(0) % 4 or state.storage_offset() % 4:
    raise ValueError(f"slots start at {state.storage_offset()} + n * {state.stride(0)} elements")
