"""One answer as it streams in: what to hand on, and whether there was anything."""

from __future__ import annotations

from collections.abc import Iterator

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)

from bot.llm.assembly import Characters, TextGate, ToolCall, ToolCalls, is_speakable
from bot.llm.messages import LeadIn
from bot.llm.shapes import text_of
from bot.llm.thoughts import Aloud
from speech.evidence.markers import without_markers
from speech.text_clean import json_text


def _chunk(
    delta: ChoiceDelta | None = None, *, model: str = "", usage: CompletionUsage | None = None
) -> ChatCompletionChunk:
    choices = [Choice(index=0, delta=delta)] if delta else []
    return ChatCompletionChunk(
        id="", created=0, object="chat.completion.chunk", model=model, choices=choices, usage=usage
    )


def text_chunk(text: str) -> ChatCompletionChunk:
    """A chunk as a server would send it."""
    return _chunk(ChoiceDelta(content=text))


def _tool_chunk(index: int, call: ToolCall) -> ChatCompletionChunk:
    function = ChoiceDeltaToolCallFunction(name=call.name, arguments=call.arguments_json())
    piece = ChoiceDeltaToolCall(index=index, id=call.call_id, function=function, type="function")
    return _chunk(ChoiceDelta(tool_calls=[piece]))


LONGEST_CHARS = 20_000
"""About twenty minutes of speech: a server that ignores the token limit, or runs wild."""


class Answer:
    """Takes an attempt's chunks and gives those that pipecat can take as they are.

    Chunks without choices or delta are no trouble; usage is passed on with its missing
    numbers as zeros; what cannot be spoken is held back until something can; characters
    are whole and printable; thoughts are left out, a refusal is text; tool calls come whole,
    at the end, one a chunk, with arguments that are a JSON object (pipecat drops a call whose
    arguments are not, and the user would hear nothing).
    """

    def __init__(self, longest: int = LONGEST_CHARS, *, tools: bool = True) -> None:
        """``longest``: characters after which the answer is ``full`` and the rest is dropped.

        Without ``tools`` the calls of a model that was offered none are not taken.
        """
        self.finished = False
        self.spoke = False
        self.called = False
        self.thought = False
        self._room = longest
        self._tools = tools
        self._characters = Characters()
        self._aloud = Aloud()
        self._gate = TextGate()
        self._calls = ToolCalls()

    @property
    def text(self) -> str:
        """What has been handed on."""
        return self._gate.text

    @property
    def full(self) -> bool:
        """It went on for longer than anyone would listen; what follows is not taken."""
        return self._room <= 0 or self._calls.full

    @property
    def is_empty(self) -> bool:
        """Neither a word nor a tool call."""
        return not self.text and not self.calls_tools

    @property
    def calls_tools(self) -> bool:
        """It ends with tool calls."""
        return bool(self._calls)

    @property
    def lead_in(self) -> LeadIn | None:
        """The words before tool calls, if there were both."""
        if not self.text or not self.calls_tools:
            return None
        return LeadIn(without_markers(self.text), frozenset(call.call_id for call in self._calls))

    def take(self, chunk: ChatCompletionChunk) -> Iterator[ChatCompletionChunk]:
        """Sets ``spoke`` if the chunk brought words, ``called`` if a piece of a tool call,
        ``thought`` if what the model writes for itself.
        """
        self.spoke = self.called = self.thought = False
        if chunk.usage is not None:
            yield _chunk(model=chunk.model or "", usage=_whole(chunk.usage))
        for choice in (chunk.choices or [])[:1]:
            if choice is not None and choice.delta is not None:
                yield from self._take_delta(choice.delta)
            self.finished = self.finished or bool(choice and choice.finish_reason)

    def _take_delta(self, delta: ChoiceDelta) -> Iterator[ChatCompletionChunk]:
        for call in delta.tool_calls or [] if self._tools else []:
            if call is None:
                continue
            function = call.function
            name, given = (function.name, function.arguments) if function else (None, None)
            piece = given if isinstance(given, str) else json_text(given) if given else ""
            self._room -= self._calls.add(call.index, call.id, name, piece)
            self.called = self.called or bool(name or piece)
        content = text_of(delta.content) + text_of(delta.refusal)
        text = self._aloud.push(self._characters.push(content))[: max(0, self._room)]
        self._room -= len(text)
        self.thought = self._aloud.thinking and is_speakable(content)
        self.spoke = is_speakable(text)
        if out := self._gate.push(text):
            yield text_chunk(out)

    def tool_chunks(self) -> Iterator[ChatCompletionChunk]:
        """The completed calls, numbered from 0."""
        for index, call in enumerate(self._calls):
            yield _tool_chunk(index, call)


def _whole(usage: CompletionUsage) -> CompletionUsage:
    """Servers leave numbers out; pipecat wants all three."""
    return usage.model_copy(
        update={
            "prompt_tokens": usage.prompt_tokens or 0,
            "completion_tokens": usage.completion_tokens or 0,
            "total_tokens": usage.total_tokens or 0,
        }
    )
