"""x"""
ENTRIES = ()
