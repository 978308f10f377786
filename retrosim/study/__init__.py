"""The collision methods of the five documents on the same scenes: errors, operations, cycles.

balance            two claims of Rekaby 2011, measured
comparison         all methods on the same scenes
comparison_report  the study as text, as CSV, as a page and as a picture
exact              exact tests in plain Python, by which the study judges what methods find
method             what the study knows of a method
operations         what a kernel spends on geometry, counted by running its own Python code on numbers that count
scenes             the scenes that `retrosim study` puts before every method, and the forms in which methods see them
methods            the methods that `retrosim study` compares
"""
