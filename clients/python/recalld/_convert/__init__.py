"""Between the client's dataclasses and the messages of the contract. Pure, shared by the two front ends."""
