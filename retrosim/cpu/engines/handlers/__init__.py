"""The interpreter: a compiled function for each row, called from record to record.

groups         functions that are known by keys, compiled in groups
handler_cache  caches of compiled handlers
handlers       the interpreter's handlers
interpret      tier 1
"""
