"""Lessons for a class: each is one file of data beside this one, NAME.toml, with its notebook, NAME.ipynb.

lesson     the file of a lesson, checked as it is read; its steps, and the answer of a step, measured
formula    what is measured: a formula over what commands report
sheet      a lesson as a printable page

No file has a figure that was measured: a step names the commands, and how its values follow from what these print with
`--json`. Who runs commands is told by a caller (`CommandRunner`).
"""
