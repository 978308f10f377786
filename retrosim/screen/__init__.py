"""Pictures and what is drawn over them. NumPy only.

font         a small fixed-pitch bitmap font, drawn here row by row, for status bar, overlay and help
framebuffer  draws on a screen image as QuickDraw does; the colours and patterns of the Macintosh
overlay      lines and circles in whole pixels, and the work of a collision routine over the picture
png          writes a screen as an indexed 8-bit PNG, where the palette stays a palette, one byte per pixel
shapes       one structure for what any routine tests
"""
