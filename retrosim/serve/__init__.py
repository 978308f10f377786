"""Servers for debuggers of other people: gdb's remote protocol, and the Debug Adapter Protocol of editors.

Whatever a client sends is hostile: every length is bounded before memory is taken, and a bad request is refused in
the protocol's own words.

dap_messages  the framing of the Debug Adapter Protocol, and careful reading of what a client says
dap_session   a session of the Debug Adapter Protocol, and the breakpoints that editors set in it
dap_views     what editors show of a machine that stands still
gdb_session   what gdb's packets mean, and the registers of a machine as gdb knows them
programs      the program of a machine as a file for a client
stream        a client's bytes, in both directions
"""
