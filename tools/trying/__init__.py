"""What tools/try_pages.py is made of: the pages and the commands of an installed retrosim, as a reader meets them.

steps        what a page shows, in order: files, commands with their output, examples
output       lines that a page shows, beside those that were printed
environment  a new virtual environment with the wheel
window       a display of its own, whose windows are closed
page         carries out the steps of a page
commands     asks every command for help, with wrong words, in narrow terminals; every machine for every ROM
"""
