"""The debugger in the terminal, `retrosim debug`: line by line, or the whole screen.

    completion  completion of commands for the debugger, by readline and by the screen
    loop        reads commands for the debugger
    screen      the debugger as a full screen of the terminal
"""
