"""A LangGraph graph that remembers across threads. Needs `pip install './clients/python[langgraph]'`."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from recalld import Client
from recalld.integrations.langgraph import RecalldStore


class State(TypedDict):
    """What goes through the graph."""

    message: str
    answer: str


def answer(state: State, *, store: BaseStore) -> dict[str, str]:
    """Recalls what fits, then keeps the message."""
    known = store.search(("users", "alice"), query=state["message"], limit=3)
    store.put(("users", "alice"), state["message"][:20], {"text": state["message"]})
    return {"answer": "; ".join(item.value["text"] for item in known) or "nothing yet"}


builder = StateGraph(State)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
builder.add_edge("answer", END)

with Client() as client:
    graph = builder.compile(store=RecalldStore(client, root=f"{client.name}/langgraph"))
    for message in ("I am allergic to peanuts.", "am I allergic to peanuts?"):
        print(f"{message} -> {graph.invoke({'message': message, 'answer': ''})['answer']}")
