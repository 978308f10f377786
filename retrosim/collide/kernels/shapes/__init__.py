"""Kernels that test shapes: boxes, circles, polygons, rectangles at any angle, masks, spheres.

boxes     boxes and circles of "No-collision boxes" 2011, and objects made of them
convex    rounded convex polygons, by edges and vertices, exact in 64 bits
masks     the pixel-mask test of Mackey 1995, and objects that look like one of several sprites
oriented  the tests of Rekaby 2011 for two oriented rectangles
spheres   spheres in three axes
"""
