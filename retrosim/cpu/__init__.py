"""Instruction-set specifications and the engines that run them."""
