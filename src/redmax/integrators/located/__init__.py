"""`adaptive` with contact: smooth motion between events that are located in time, for few contacts.

Between events each contact is open, sticking or sliding, and all that are closed are held at the level of accelerations; events are a gap
that closes (an impact, or a touch), a force that would pull, friction that leaves its cone, and slip that ends. Dynamics and the search for
points are compiled; steps, events and the small problems of contact are done here in Python.
"""
