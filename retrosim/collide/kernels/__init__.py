"""The compiled loops behind `retrosim.collide`. They check nothing: the functions above them do."""
