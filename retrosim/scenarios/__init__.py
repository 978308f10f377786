"""The programs of the shipped ROMs as kernels: one package a scenario, with rules, picture, state and shapes."""
