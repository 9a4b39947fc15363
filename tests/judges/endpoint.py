"""A local endpoint for chat completions, which misbehaves on demand."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Endpoint:
    """Answers each request with the next step of a script.

    A step is the text of a reply, a status code, ``"slow"`` (no reply while it serves), ``"drip"``
    (blanks, one after the other, for as long), ``"filtered"``, ``{"refusal": text}``, or the bytes
    of a whole body. ``{authorization}`` in a text stands for what the client sent as such.
    """

    def __init__(self, script: list[Any], address: str) -> None:
        self.script = script
        self.address = address
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []


@contextmanager
def endpoint(*script: Any) -> Iterator[Endpoint]:
    """Serve a script on the loopback address."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.requests.append(body)
            served.keys.append(self.headers["authorization"])
            step = served.script[min(len(served.requests), len(served.script)) - 1]
            status, payload = 200, b""
            if isinstance(step, int):
                status = step
                payload = json.dumps(
                    {"error": {"message": f"no, {self.headers['authorization']}", "code": "x"}}
                ).encode()
            elif isinstance(step, bytes):
                payload = step
            else:
                if step == "slow":
                    ended.wait()
                reply = json.dumps(completion(step))
                payload = reply.replace("{authorization}", self.headers["authorization"]).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(payload)))
                if status == 429:
                    self.send_header("retry-after", "0")
                self.end_headers()
                while step == "drip" and not ended.wait(0.05):
                    self.wfile.write(b" ")
                self.wfile.write(payload)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client timed out

        def log_message(self, *_: object) -> None:
            """Keep the test's output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Endpoint(list(script), f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def completion(step: Any) -> dict[str, Any]:
    is_filtered = step == "filtered"
    refused = step["refusal"] if isinstance(step, dict) else None
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "judge-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": "content_filter" if is_filtered else "stop",
                "message": {
                    "role": "assistant",
                    "content": None if refused or is_filtered else step,
                    "refusal": refused,
                },
            }
        ],
        "usage": {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55},
    }
