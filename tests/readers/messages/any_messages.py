"""Messages of every shape, as programs write them, and invalid ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.test_mutated_logs import mutated, places
from trajmeter.readers.tool_views import names as known
from trajmeter.readers.tool_views.file_tools import FILE_TOOLS

SHELLS, INTERPRETERS = sorted(known.SHELLS), sorted(known.INTERPRETERS)
READERS = sorted({*FILE_TOOLS, *known.SEARCHES})

texts = st.sampled_from(
    [
        "",
        "x = 1",
        "é😀\u2028",
        'q"\\/\b\f\n\r\t\0',
        "{",
        "{}",
        " \u00a0",
        "null",
        "1 failed\n[exit code 1]",
        "done\nThe command exited with exit status: 0.\n",
        "exit code 2",
        "said exit code 3",
        "ok\nÉ exit code 3",
        "\n  process finished with an exit_code=-4)> ",
        "x" * 90 + "\nexit code 5",
        'arguments:\n\n{"a": 1}\n\nError details: cut',
    ]
)
names = st.sampled_from(
    [
        *("f", "", "é", "functions.bash", "mcp__files__read_file", "a/b", "Python"),
        *("bash", "python", "read_file", "grep", "str_replace_editor"),
    ]
)
ids = st.sampled_from([None, "c1", "c2", "", 3])
counts = st.sampled_from([None, 0, 7, 2.0, 1.5, -1, True, "3", 2**62, 2**63, 2**64, -0.0, 1e30])
numbers = st.sampled_from([0, 1, -1, 1.5, -0.0, 2**70, 1e300])
scalars = st.none() | st.booleans() | numbers | texts
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "type", "text", "é"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of these keys."""
    return st.fixed_dictionaries({}, optional=optional)


arguments = st.one_of(
    st.dictionaries(
        st.sampled_from(["command", "commands", "cmd", "code", "path", "x", "INVALID_JSON"]),
        texts | st.lists(texts, max_size=3) | anything,
        max_size=2,
    ),
    st.lists(st.sampled_from(["bash", "/bin/sh", "-lc", "ls -la", "it's", ""]), max_size=4).map(
        lambda words: {"command": words}
    ),
    texts,
    anything,
)
written = st.one_of(
    arguments.map(json.dumps),
    arguments,
    st.sampled_from(['{"a": 1} x', '{"a": NaN}', '{"a": 1e400}', '{"a": "\\ud800"}', '{"a": 1,']),
    st.sampled_from(
        ['{"a": 1, "a": 2}', ' {"b": []}', '{"é": -0}', '{"x":' + "[" * 120 + "]" * 120]
    ),
)
errors = st.none() | texts | some(message=texts | st.none(), type=texts)
functions = some(name=names, arguments=written)
calls = st.one_of(
    some(id=ids, function=functions, type=st.just("function")),
    some(id=ids, function=names, arguments=written, parse_error=errors),
    some(id=ids, name=names, args=written, error=errors),
    some(call_id=ids, tool_name=names, input=written, namespace=st.sampled_from([None, "n", ""])),
    some(id=ids, custom=some(name=names, input=written)),
    anything,
)
parts = st.one_of(
    texts,
    some(type=st.sampled_from(["text", "output_text", "input_text"]), text=texts | st.none()),
    some(part_kind=st.just("text"), content=texts | st.none()),
    some(type=st.sampled_from(["refusal", "thinking", "image_url", "document", "x"]), text=texts)
    | some(type=st.just("refusal"), refusal=texts),
    some(
        type=st.sampled_from(["image_url", "input_audio", "document", "pdf", ""]),
        source=anything,
        image_url=anything,
        text=texts,
    ),
    some(
        type=st.sampled_from(["tool_use", "mcp_tool_use", "tool_call", "server_tool_call"]),
        tool_type=st.sampled_from([None, "web_search"]),
        id=ids,
        name=names,
        input=written,
        result=texts,
    ),
    some(
        type=st.sampled_from(["tool_result", "mcp_tool_result", "server_tool_result"]),
        tool_use_id=ids,
        tool_call_id=ids,
        content=texts
        | st.lists(some(type=st.just("text"), text=texts), max_size=2)
        | some(type=st.just("web_search_tool_result_error"), error_code=texts)
        | some(
            type=st.just("code_execution_result"),
            return_code=st.sampled_from([None, 0, 2, "2", True]),
        ),
        is_error=st.sampled_from([None, True, False, 0, "x"]),
    ),
    some(
        part_kind=st.sampled_from(["tool-return", "retry-prompt"]),
        type=st.sampled_from([None, "tool_call_response"]),
        tool_call_id=ids,
        tool_name=names | st.none(),
        content=anything
        | st.lists(
            some(
                kind=st.sampled_from(["image-url", "document-url", "binary", "x"]),
                url=texts,
                data=texts,
                media_type=texts,
            ),
            max_size=2,
        ),
        response=anything,
        outcome=st.sampled_from([None, "success", "failed"]),
    ),
    anything,
)
contents = st.one_of(texts, st.none(), st.lists(parts, max_size=3), anything)
details = st.none() | some(
    cached_tokens=counts,
    cache_write_tokens=counts,
    reasoning_tokens=counts,
    cache_read=counts,
    reasoning=counts,
)
usages = st.one_of(
    st.none(),
    some(
        prompt_tokens=counts,
        completion_tokens=counts,
        total_tokens=counts,
        prompt_tokens_details=details,
        completion_tokens_details=details,
    ),
    some(
        input_tokens=counts,
        output_tokens=counts,
        input_tokens_details=details,
        output_tokens_details=details,
        cache_read_input_tokens=counts,
        cache_creation_input_tokens=counts,
    ),
    some(
        input_tokens=counts,
        input_tokens_cache_read=counts,
        input_tokens_cache_write=counts,
        reasoning_tokens=counts,
        total_cost=counts,
    ),
    some(
        input_tokens=counts, output_reasoning_tokens=counts, cache_read_tokens=counts, cost=counts
    ),
    anything,
)
answers = some(
    role=st.sampled_from(["assistant", "ai", "model"]),
    type=st.sampled_from([None, "message", "ai"]),
    content=contents,
    parts=st.none() | st.lists(parts, max_size=2),
    tool_calls=st.none() | st.lists(calls, max_size=3),
    invalid_tool_calls=st.none() | st.lists(calls, max_size=1),
    function_call=st.none() | functions,
    additional_kwargs=some(function_call=functions, refusal=texts),
    refusal=st.none() | texts,
    name=st.none() | texts,
    model=st.sampled_from([None, "m", "", 3]),
    response_metadata=st.none() | some(model_name=texts),
    usage=usages,
    usage_metadata=usages,
    stop_reason=texts,
)
results = some(
    role=st.sampled_from(["tool", "function"]),
    type=st.sampled_from([None, "tool"]),
    tool_call_id=ids,
    name=names | st.none(),
    function=names | st.none(),
    content=contents,
    status=st.sampled_from([None, "error", "success"]),
    error=errors,
)
items = some(
    type=st.sampled_from(
        [
            "function_call",
            "function_call_output",
            "mcp_call",
            "custom_tool_call",
            "reasoning",
            "message",
            "compaction",
            "item_reference",
            "mcp_list_tools",
            "web_search_call",
            "image_generation_call",
            "shell_call_output",
            "apply_patch_call_output",
            "program",
            "program_output",
            "tool_search_call",
            "tool_search_output",
            "additional_tools",
        ]
    ),
    role=st.sampled_from([None, "assistant", "user", "developer"]),
    id=ids,
    call_id=ids,
    name=names | st.none(),
    namespace=st.sampled_from([None, "n"]),
    arguments=written | st.none(),
    action=arguments,
    input=texts,
    output=contents,
    outputs=contents,
    result=texts,
    tools=contents,
    execution=st.sampled_from([None, "client", "server"]),
    caller=st.sampled_from([None, "c"]),
    status=st.sampled_from([None, "completed", "failed"]),
    error=errors,
    content=contents,
    summary=st.just([]),
)
asked = some(
    role=st.sampled_from(["user", "human", "system", "developer", "critic"]), content=contents
)
plain = st.one_of(answers, results, items, asked)
enveloped = st.one_of(
    plain.map(lambda message: {"type": message.get("type"), "data": message}),
    plain.map(lambda message: {"lc": 1, "type": "constructor", "kwargs": message}),
    st.builds(
        lambda message, usage: {"choices": [{"message": message}], "usage": usage}, plain, usages
    ),
    st.builds(
        lambda output, usage: {"object": "response", "output": output, "usage": usage},
        st.lists(items, max_size=3),
        usages,
    ),
)
messages = st.one_of(answers, results, items, asked, enveloped, anything)


@st.composite
def exchanges(draw: st.DrawFn, identity: str) -> list[Any]:
    """An answer with a call, and its result, in the format of some program."""
    name, given = draw(names.filter(bool)), draw(arguments)
    text, result = draw(texts), draw(contents)
    called = {"id": identity, "function": {"name": name, "arguments": json.dumps(given)}}
    usage = draw(usages)
    said = {"role": "assistant", "content": text}
    own = {"type": "tool_use", "id": identity, "name": name, "input": given}
    gave = {"type": "tool_result", "tool_use_id": identity, "content": result}
    item = {
        "type": "function_call",
        "call_id": identity,
        "name": name,
        "arguments": json.dumps(given),
    }
    return draw(
        st.sampled_from(
            [
                [
                    {**said, "tool_calls": [called], "usage": usage},
                    {"role": "tool", "tool_call_id": identity, "content": result},
                ],
                [
                    {**said, "content": [text, {"type": "text", "text": text}, own], "model": "m"},
                    {"role": "user", "content": [{**gave, "is_error": draw(st.booleans())}]},
                ],
                [
                    {"type": "reasoning", "summary": []},
                    item,
                    {"type": "function_call_output", "call_id": identity, "output": result},
                ],
                [
                    {
                        **said,
                        "type": "ai",
                        "tool_calls": [{"id": identity, "name": name, "args": given}],
                    },
                    {
                        "type": "tool",
                        "tool_call_id": identity,
                        "content": result,
                        "status": draw(st.sampled_from(["success", "error"])),
                    },
                ],
                [
                    {
                        **said,
                        "tool_calls": [{"id": identity, "function": name, "arguments": given}],
                    },
                    {
                        "role": "tool",
                        "tool_call_id": identity,
                        "function": name,
                        "content": result,
                        "error": draw(errors),
                    },
                ],
                [
                    {**said, "function_call": called["function"]},
                    {"role": "function", "name": name, "content": result},
                ],
                [{**said, "name": name, "refusal": text}],
                [{"role": "user", "content": result}],
            ]
        )
    )


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """A list of messages, which may contain something invalid."""
    found: list[Any] = [{"role": "user", "content": draw(texts)}] * draw(st.integers(0, 1))
    for number in range(draw(st.integers(1, 3))):
        found += draw(exchanges(f"c{number}"))
    found += draw(st.sampled_from([[], *ONE_CALL.values()]))
    chance = draw(st.integers(0, 3))
    if chance == 0:
        found.insert(draw(st.integers(0, len(found))), draw(messages))
    if chance == 1:
        at = draw(st.sampled_from(places(found)))
        found = mutated(found, at, draw(anything), is_gone=False) if at else found
    return found
