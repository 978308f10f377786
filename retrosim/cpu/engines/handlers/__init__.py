"""The interpreter: a compiled function for each row, called from record to record.

handler_cache  caches of compiled handlers
handlers       the interpreter's handlers
interpret      tier 1
"""
