"""What goes in and comes out: plain frozen dataclasses in the words of the contract.

Times are aware datetimes in UTC; None where the server said nothing. Texts are whole: only `repr` and `str` shorten.
"""
