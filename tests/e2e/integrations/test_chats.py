"""Chat histories: LangChain, OpenAI Agents, LlamaIndex, each inside its framework."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from recalld import Client


class TestLangChain:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("langchain_core", reason="LangChain is not installed")

    def test_messages_of_every_kind_come_back_equal(self, client: Client) -> None:
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

        from recalld.integrations.langchain import RecalldChatMessageHistory

        history = RecalldChatMessageHistory(client, "s1", user_id="alice")
        assert history.messages == []
        messages = [
            SystemMessage("Be brief."),
            HumanMessage("我对花生过敏。"),
            AIMessage("", tool_calls=[{"name": "lookup", "args": {"q": "花生"}, "id": "c1", "type": "tool_call"}]),
            ToolMessage("no route", tool_call_id="c1", name="lookup", status="error"),
            AIMessage("Noted.", id="run-1"),
            HumanMessage([{"type": "text", "text": "two"}, {"type": "text", "text": "parts"}]),
        ]
        history.add_messages(messages)
        assert history.messages == messages
        turns = client.session("s1").get().turns
        assert [turn.role.value for turn in turns] == ["system", "user", "assistant", "tool", "assistant", "user"]
        assert turns[3].tool_calls[0].status == "error"
        assert client.session("s1").get().session.user_id == "alice"

    def test_clearing_hides_what_was_said(self, client: Client) -> None:
        from recalld.integrations.langchain import RecalldChatMessageHistory

        history = RecalldChatMessageHistory(client, "s2")
        history.clear()
        history.add_user_message("one")
        history.clear()
        history.add_ai_message("二")
        assert [message.content for message in history.messages] == ["二"]
        assert len(client.session("s2").get().turns) == 2

    def test_a_runnable_with_history_sees_earlier_turns(self, client: Client) -> None:
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.runnables.history import RunnableWithMessageHistory

        from recalld.integrations.langchain import RecalldChatMessageHistory

        model = FakeListChatModel(responses=["Hello.", "你好。"])
        chain = RunnableWithMessageHistory(model, lambda session_id: RecalldChatMessageHistory(client, session_id))
        for text in ("Hi", "你好"):
            chain.invoke(text, {"configurable": {"session_id": "s3"}})
        said = [message.content for message in RecalldChatMessageHistory(client, "s3").messages]
        assert said == ["Hi", "Hello.", "你好", "你好。"]


class TestOpenAIAgents:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed")

    async def test_items_come_back_as_they_were_added(self, client: Client) -> None:
        from recalld.integrations.openai_agents import RecalldSession

        session = RecalldSession(client, "a1", user_id="alice")
        assert await session.get_items() == []
        assert await session.pop_item() is None
        items: list[Any] = [
            {"role": "user", "content": "花生在哪里？"},
            {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": '{"q": 1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "在柜子里"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "In the cupboard."}]},
        ]
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[2:]
        assert await session.get_items(limit=0) == []

    async def test_popped_and_cleared_items_are_hidden(self, client: Client) -> None:
        from recalld.integrations.openai_agents import RecalldSession

        session = RecalldSession(client, "a2")
        items: list[Any] = [{"role": "user", "content": text} for text in ("one", "二", "three")]
        await session.add_items(items)
        assert await session.pop_item() == items[2]
        assert await session.pop_item() == items[1]
        await session.add_items(items[2:])
        assert await session.get_items() == [items[0], items[2]]
        assert await session.get_items(limit=2) == [items[0], items[2]]
        await session.clear_session()
        assert await session.get_items() == []
        await session.add_items(items[1:2])
        assert await session.get_items() == items[1:2]

    async def test_an_agent_run_sees_the_run_before(self, client: Client) -> None:
        from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
        from openai.types.responses import ResponseOutputMessage, ResponseOutputText

        from recalld.integrations.openai_agents import RecalldSession

        class Scripted(Model):
            """Answers with how many items it was given."""

            async def get_response(
                self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
            ) -> ModelResponse:
                text = ResponseOutputText(text=f"{len(input)} 条", type="output_text", annotations=[])
                message = ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
                return ModelResponse(output=[message], usage=Usage(), response_id=None)

            def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
                raise NotImplementedError

        agent = Agent(name="scripted", model=Scripted())
        quiet = RunConfig(tracing_disabled=True)
        answers = [
            (await Runner.run(agent, text, session=RecalldSession(client, "a3"), run_config=quiet)).final_output
            for text in ("Hello", "还在吗？")
        ]
        assert answers == ["1 条", "3 条"]


class TestLlamaIndex:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed")

    def test_messages_come_back_equal(self, client: Client) -> None:
        from llama_index.core.base.llms.types import ChatMessage, MessageRole

        from recalld.integrations.llama_index import RecalldMemory

        memory = RecalldMemory.from_client(client, "l1")
        messages = [
            ChatMessage(role=MessageRole.USER, content="我住在上海。"),
            ChatMessage(role=MessageRole.ASSISTANT, content="Noted.", additional_kwargs={"n": 1}),
        ]
        memory.put_messages(messages)
        assert memory.get() == messages
        memory.set(messages[:1])
        assert memory.get_all() == messages[:1]
        memory.reset()
        assert memory.get() == []

    async def test_a_chat_engine_keeps_its_history(self, client: Client) -> None:
        from llama_index.core.chat_engine import SimpleChatEngine
        from llama_index.core.llms import MockLLM

        from recalld.integrations.llama_index import RecalldMemory

        memory = RecalldMemory.from_client(client, "l2")
        engine = SimpleChatEngine(llm=MockLLM(), memory=memory, prefix_messages=[])
        await engine.achat("Hello 你好")
        said = RecalldMemory.from_client(client, "l2").get()
        assert [message.role.value for message in said] == ["user", "assistant"]
        assert said[0].content == "Hello 你好"

    async def test_a_block_recalls_and_keeps_what_leaves_the_short_term(self, client: Client) -> None:
        from llama_index.core.base.llms.types import ChatMessage, MessageRole

        from recalld.integrations.llama_index import RecalldMemoryBlock

        block = RecalldMemoryBlock.from_client(client, user_id="alice", max_tokens=200)
        ask = [ChatMessage(role=MessageRole.USER, content="花生过敏？")]
        await block.aput([ChatMessage(role=MessageRole.USER, content="我对花生过敏。")], session_id="s9")
        assert "我对花生过敏。" in await block.aget(ask)
        assert await block.aget([]) == ""
        (kept,) = client.list(user_ids="alice")
        assert (kept.kind.value, kept.session_id) == ("episodic", "s9")
