"""What every report is made of: numbers as text, tables, pages, JSON, files. Knows nothing of what is reported.

files   files that a user asked for, written as a whole
json    reports as plain data for JSON
page    pages that stand alone
tables  tables of numbers for the terminal and a pipe, and what stands above and below them
text    numbers as text
"""
