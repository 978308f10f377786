"""Pictures and what is drawn over them: framebuffer, palette, patterns, font, overlay, PNG files. NumPy only.

font         a small fixed-pitch bitmap font, drawn here row by row, for status bar, overlay and help
framebuffer  draws on a screen image as QuickDraw does, with NumPy only
overlay      draws the work of a collision routine over the picture
palette      the 256 colours of the Macintosh
pattern      quickDraw's 8x8 patterns
png          writes a screen as an indexed 8-bit PNG, where the palette stays a palette, one byte per pixel
shapes       one structure for what any routine tests
strokes      lines and circles in whole pixels, many at a time
"""
