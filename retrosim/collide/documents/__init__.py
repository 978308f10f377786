"""The collision routines of the five documents, module by module, as NumPy users call them.

bitmap      collision by the colours on the screen ("Bit Map", Jon E P 2007)
blocks      boxes in a plane cut into blocks (Rekaby 2011)
boxes       boxes and circles, by detecting that there is no collision (No-collision boxes 2011)
compound    compound shapes (No-collision boxes 2011)
objects     object records and the loop over all of them (Jon E P 2007)
rectangles  rectangles at any angle (Rekaby 2011)
sectors     sector-based collision detection (Moertel 1994), its pair test, and positions for objects
spheres     spheres around objects, in three axes (Rekaby 2011)
swept       swept tests
"""
