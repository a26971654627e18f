"""Write, search, correct, look back: the first five minutes."""

from recalld import Client

with Client() as memory:
    # What becomes of a write is part of its answer.
    first = memory.write("Alice lives in Berlin.", user_id="alice")
    print(first.outcome, "-", "Alice lives in Berlin.")

    # The same again is recognised, and a new value replaces the old one without destroying it.
    print(memory.write("Alice lives in Berlin.", user_id="alice").outcome, "- the same again")
    print(memory.write("Alice moved to Shanghai.", user_id="alice").outcome, "- Alice moved to Shanghai.")

    memory.write("爱丽丝对花生过敏。", user_id="alice", tags=["food"])
    for hit in memory.search("爱丽丝不能吃什么？", user_ids="alice", top_k=1):
        print(f"found {hit.content}")

    for revision in memory.revisions(first.memory_id):
        print(f"revision {revision.memory.revision}: {revision.action}, {revision.memory.state}")

    print(memory.context("Where does Alice live, and what can't she eat?", user_ids="alice").text)
