"""``trajmeter score`` with a judge: it reports what has no verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.judges.endpoint import endpoint
from trajmeter.judges import DEFAULT_TIMEOUT_SECONDS, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    Run = Callable[..., tuple[int, str, str]]

RULES = Path(__file__).parents[2] / "examples" / "rules"


def test_attempts_that_were_not_judged_end_with_a_code_of_their_own(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    files = (str(RULES / "results.json"), "--tasks", str(RULES / "cases.json"))
    with endpoint(401) as server:
        asked = ("--judge", "m", "--judge-base-url", server.address)
        code, out, err = run("score", *files, "-m", "llm_judge", *asked)
    assert code == 4
    assert "not judged (judge_error): the rows give the reasons" in err
    assert "judge_error" in out
    assert run("score", *files, "-m", "tool_usage")[0] == 0


def test_the_time_limit_of_a_judge_is_an_option(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    files = (str(RULES / "results.json"), "--tasks", str(RULES / "cases.json"))
    limits: list[float] = []

    class Chat(OpenAIChat):
        def __init__(self, model: str, *, base_url: str | None, timeout_seconds: float) -> None:
            limits.append(timeout_seconds)
            super().__init__(model, base_url=base_url, timeout_seconds=timeout_seconds)

    monkeypatch.setattr("trajmeter.judges.OpenAIChat", Chat)
    with endpoint(401) as server:
        asked = ("--judge", "m", "--judge-base-url", server.address)
        run("score", *files, "-m", "llm_judge", *asked)
        run("score", *files, "-m", "llm_judge", *asked, "--judge-timeout-seconds", "7.5")
    assert limits == [DEFAULT_TIMEOUT_SECONDS, 7.5]
