"""Adapters to the frameworks that agents are built with. Each is a module and an extra of its own.

| module              | extra                     | what it is                                      |
|---------------------|---------------------------|-------------------------------------------------|
| `.langgraph`        | `recalld[langgraph]`      | a LangGraph `BaseStore`                         |
| `.langchain`        | `recalld[langchain]`      | a LangChain chat message history                |
| `.openai_agents`    | `recalld[openai-agents]`  | an OpenAI Agents SDK session                    |
| `.llama_index`      | `recalld[llama-index]`    | a LlamaIndex memory and a memory block          |
| `.pydantic_ai`      | `recalld[pydantic-ai]`    | a Pydantic AI toolset                           |

Nothing is imported here, so that one framework does not ask for the others.
"""
