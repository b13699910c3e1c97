if inputs["recurrent_state"].data_ptr() != pool.data_ptr():
    raise ValueError("the op would update a copy of the state pool")
