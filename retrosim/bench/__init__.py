"""The speed of this host: one kind of race for engines, programs, kernels and the debugger, beside their peers.

A subject is a module with a function that measures, what it returns, and how that becomes text and CSV.

    contenders    what runs machine code in a race, ours and others', and what every contender has in common
    debugger      subject: a game under the debugger, beside the same without
    engines       subject: the routine of 1994 on every engine, and how long a newcomer waits
    kernel_peers  who answers in `kernels`: `retrosim.collide`, pygame, scipy, shapely and others
    kernel_scenes scenes of `kernels`, and the right answers
    kernels       subject: which objects overlap
    native        C compiled for this host, as a contender
    peers         emulators that others wrote, each in a process of its own
    program       subject: a program of the user's own
    programs      subject: programs that nothing was tuned for
    race          the race, who was left out, and the record of what it ran on
    workload      the loop around a routine that every emulator repeats
"""
