"""``trajmeter score`` with a judge: what it leaves without a verdict is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.judges.endpoint import endpoint

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
