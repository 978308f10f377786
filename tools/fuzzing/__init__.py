"""What `tools/fuzz.py` throws at retrosim: a module for each kind of target, and the mutations they share."""
