"""Compiled code on disk that a damaged file, another user or a full disk can slow down, but never break.

folders.py says which folder may hold code that is executed, files.py reads and writes whole files, store.py seals what
it keeps with a key, throws away what does not fit its seal, and bounds the size.

    folders  where the user's files are kept, and which folders only this user can change
    sources  where the compiled code of the present sources is kept
    store    the cache
"""
