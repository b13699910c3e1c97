live = [slot for slot in slots if slot >= 0]
if len(set(live)) < len(live):
    raise ValueError(f"slots {live} are not distinct")
