"""The speed of this host: one kind of race for engines, programs, kernels and the debugger, beside their peers.

    contenders    what runs in the benchmark
    debugger      what the debugger costs
    engines       host speed
    kernel_peers  what runs in `retrosim bench kernels`
    kernels       `retrosim bench kernels`
    laps          how often to repeat what is measured, so that a lap is long enough for the clock and the call not to
                  count
    mixed_peers   contenders for boxes of mixed sizes in `retrosim bench kernels`
    peers         emulators that others wrote, each in a process of its own
    program       `retrosim bench program`
    programs      `retrosim bench programs`
    startup       how long a newcomer waits
    workload      what the benchmark repeats
"""
