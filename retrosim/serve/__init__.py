"""Servers for debuggers of other people: gdb's remote protocol, and the Debug Adapter Protocol of editors.

    stream         bytes of a client: read in a thread, so that a running machine notices them
    gdb_packets    framing of gdb's packets;  gdb_registers  target descriptions;  gdb_session  what the packets mean

Whatever a client sends is hostile: every length is bounded before memory is taken, and a bad request is refused in
the protocol's own words.
"""
