"""The pytest plugin: what routines cost, in people's own tests.

plugin    fixtures, options and hooks: what pytest loads in every run, so it imports nothing else of retrosim
tool      what the fixtures give a test: `cost`, `open`
budgets   the file of accepted figures
changes   a figure as text: its hottest lines, and what differs from the accepted one
"""
