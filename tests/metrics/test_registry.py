from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics import fakes
from trajmeter.errors import ConfigurationError, ExtraMissingError, UnknownNameError
from trajmeter.metrics import (
    Resources,
    Result,
    available,
    create,
    describe,
    metric_info,
    registry,
)
from trajmeter.metrics.profile import Profile
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.records import Task, Trajectory


def make_answer(resources: Resources) -> fakes.AnswerMetric:
    metric = fakes.AnswerMetric()
    metric.parameters = {"profile": resources.profile}
    return metric


def make_rank(resources: Resources) -> fakes.RankMetric:
    metric = fakes.RankMetric()
    metric.parameters = {"profile": resources.profile}
    return metric


def make_nothing(resources: Resources) -> object:
    return resources


def make_without_extra(resources: Resources) -> object:
    raise ExtraMissingError("needs whatthepatch: pip install 'trajmeter[patches]'")


def make_badly(resources: Resources) -> object:
    raise KeyError("absent")


PLUGGED = fakes.RankMetric()


class HalfMade:
    """A family whose author has not written more yet."""

    name = "half_made"
    result_type = fakes.RankResult

    def score(self, task: Task | None, trajectory: Trajectory) -> fakes.RankResult:
        return fakes.RankResult(rank=1)

    def __repr__(self) -> str:
        return "HalfMade()"


HALF_MADE = HalfMade()
NOT_A_METRIC = "text"


def _profiles(*names: str | None) -> tuple[Profile, ...]:
    return tuple(Profile(name=name) for name in names)


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two families in the place of the built-in ones, and plug-ins of every kind."""
    built_in = {"answer": "answer_family", "rank": "rank_family"}
    for module in (registry, metric_info):
        monkeypatch.setattr(module, "BUILT_IN", built_in)
    modules = {
        "answer_family": SimpleNamespace(create=make_answer),
        "answer_family.profile": SimpleNamespace(PROFILES=_profiles(None, "quirky", "shared")),
        "rank_family": SimpleNamespace(create=make_rank),
        "rank_family.profile": SimpleNamespace(PROFILES=_profiles(None, "odd", "shared")),
    }
    monkeypatch.setattr(registry, "import_module", modules.__getitem__)
    plugins = {
        "plugged": "PLUGGED",
        "made": "make_answer",
        "nothing": "make_nothing",
        "text": "NOT_A_METRIC",
        "extra": "make_without_extra",
        "badly": "make_badly",
        "half_made": "HALF_MADE",
    }
    points = [
        EntryPoint(name, f"tests.metrics.test_registry:{value}", "trajmeter.metrics")
        for name, value in plugins.items()
    ]
    points.append(EntryPoint("broken", "tests.metrics.absent:create", "trajmeter.metrics"))
    found = {registry.ENTRY_POINT_GROUP: points}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: found[group])
    registry.plugins.cache_clear()  # found once per process
    yield
    registry.plugins.cache_clear()


@pytest.mark.usefixtures("families")
class TestCreate:
    def test_metrics_come_in_the_order_of_their_names_each_with_its_profile(self) -> None:
        metrics = create(["rank", "answer"], profiles=["quirky"])
        assert [metric.name for metric in metrics] == ["rank", "answer"]
        assert [metric.parameters for metric in metrics] == [
            {"profile": None},
            {"profile": "quirky"},
        ]

    def test_a_profile_of_two_families_is_for_each_that_is_asked_for(self) -> None:
        both = create(["rank", "answer"], profiles=["shared"])
        assert [metric.parameters for metric in both] == [{"profile": "shared"}] * 2
        (alone,) = create(["rank"], profiles=["shared"])
        assert alone.parameters == {"profile": "shared"}

    @pytest.mark.parametrize(
        ("profiles", "message"),
        [
            (["odd"], r"'odd' is for the metric rank, which was not requested; .*: answer"),
            (["quirky", "shared"], r"'answer' takes one profile, not both 'quirky' and 'shared'"),
            (["quirky", "quirky"], r"'answer' takes one profile"),
        ],
    )
    def test_profiles_that_do_not_fit_are_refused(self, profiles: list[str], message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            create(["answer"], profiles=profiles)

    def test_an_unknown_profile_is_reported_with_those_that_exist(self) -> None:
        message = r"unknown profile 'quirk'; did you mean 'quirky'\? Available: odd, quirky, shared"
        with pytest.raises(UnknownNameError, match=message):
            create(["answer"], profiles=["quirk"])

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("awnser", r"unknown metric 'awnser'; did you mean 'answer'\? Available: answer,"),
            ("zzz", r"unknown metric 'zzz'; available: answer, badly, broken, extra,"),
        ],
    )
    def test_an_unknown_metric_is_reported_with_all_there_are(
        self, name: str, message: str
    ) -> None:
        with pytest.raises(UnknownNameError, match=message):
            create([name])

    def test_no_metric_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="no metric was requested"):
            create([])

    def test_several_names_come_as_a_list(self) -> None:
        message = r"metrics is 'rank, turns', expected a list: \['rank', 'turns'\]"
        with pytest.raises(ConfigurationError, match=message):
            create("rank, turns")
        message = r"profiles is 'odd,quirky', expected a list: \['odd', 'quirky'\]"
        with pytest.raises(ConfigurationError, match=message):
            create(["rank"], profiles="odd,quirky")

    def test_one_name_is_a_list_of_one(self) -> None:
        (metric,) = create("rank", profiles="odd")
        assert (metric.name, metric.parameters) == ("rank", {"profile": "odd"})

    @pytest.mark.parametrize("given", [make_nothing, 5, fakes.AnswerMetric])
    def test_other_objects_are_refused(self, given: Any) -> None:
        with pytest.raises(ConfigurationError, match=r"is not a metric, expected one or its name"):
            create([given])

    def test_a_metric_that_lacks_something_is_refused(self) -> None:
        half_made: Any = HALF_MADE
        for given in (half_made, "half_made"):
            with pytest.raises(ConfigurationError, match=r"HalfMade\(\) has no version and no"):
                create([given])

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("name", None, r"the name of metric .* is None, expected text"),
            ("name", "", r"the name of metric .* is '', expected text"),
            ("version", 2, r"the version of metric .* is 2, expected text"),
            ("result_type", dict, r"result_type of metric 'rank' is <class 'dict'>, expected a"),
            ("result_type", "RankResult", r"result_type of metric 'rank' is 'RankResult'"),
            ("parameters", None, r"the parameters of metric 'rank' are None, expected a mapping"),
            ("parameters", {"of": {1}}, r"parameters of metric 'rank' are .*not JSON serializable"),
        ],
    )
    def test_a_metric_with_an_odd_attribute_is_refused(
        self, name: str, value: object, message: str
    ) -> None:
        metric: Any = fakes.RankMetric()
        setattr(metric, name, value)
        with pytest.raises(ConfigurationError, match=message):
            create([metric])

    @pytest.mark.skipif(
        not LazyModel.model_config["defer_build"], reason="this pydantic builds models at once"
    )
    def test_a_result_that_cannot_be_built_is_refused(self) -> None:
        class Unbuildable(Result):
            figure: SimpleNamespace

        metric: Any = fakes.RankMetric()
        metric.result_type = Unbuildable
        with pytest.raises(ConfigurationError, match=r"result_type of metric 'rank' cannot be bui"):
            create([metric])

    @pytest.mark.parametrize("names", [["rank", "rank"], ["rank", "plugged"]])
    def test_one_family_cannot_be_asked_for_twice(self, names: list[str]) -> None:
        with pytest.raises(ConfigurationError, match="'rank' is requested twice"):
            create(names)


@pytest.mark.usefixtures("families")
class TestPlugins:
    @pytest.mark.parametrize(("name", "family"), [("plugged", "rank"), ("made", "answer")])
    def test_a_plug_in_is_a_metric_or_makes_one(self, name: str, family: str) -> None:
        (metric,) = create([name])
        assert metric.name == family

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("nothing", r"metric 'nothing' returned Resources\("),
            ("text", r"metric 'text' is 'text', expected a metric or a function"),
            ("badly", r"metric 'badly' cannot be created: KeyError: 'absent'"),
        ],
    )
    def test_a_plug_in_that_makes_something_else_is_refused(self, name: str, message: str) -> None:
        with pytest.raises(ConfigurationError, match=message):
            create([name])

    def test_a_missing_extra_is_reported_as_it_is(self) -> None:
        with pytest.raises(ExtraMissingError, match=r"trajmeter\[patches\]"):
            create(["extra"])

    def test_a_plug_in_that_cannot_be_imported_is_refused_if_it_is_asked_for(self) -> None:
        message = r"'broken' \(tests\.metrics\.absent:create\) cannot be imported: ModuleNotFound"
        with pytest.raises(ConfigurationError, match=message):
            create(["broken"])

    def test_a_broken_plug_in_does_not_affect_others(self) -> None:
        assert [metric.name for metric in create(["answer"])] == ["answer"]

    def test_all_are_listed_broken_ones_with_their_error(self) -> None:
        with pytest.warns(RuntimeWarning) as warned:
            listed = available()
        names = [
            "answer",
            "badly",
            "broken",
            "extra",
            "half_made",
            "made",
            "nothing",
            "plugged",
            "rank",
            "text",
        ]
        assert [info.name for info in listed] == names
        broken = {info.name for info in listed if info.error}
        assert broken == {"badly", "broken", "extra", "nothing", "text", "half_made"}
        assert [str(warning.message) for warning in warned] == [
            info.error for info in listed if info.error
        ]
        assert all((info.metric is None) == (info.error is not None) for info in listed)

    def test_a_plug_in_cannot_take_the_name_of_a_built_in_metric(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        point = EntryPoint("rank", "tests.metrics.test_registry:make_answer", "trajmeter.metrics")
        found = {registry.ENTRY_POINT_GROUP: [point]}
        monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: found[group])
        registry.plugins.cache_clear()  # found once per process
        with pytest.warns(RuntimeWarning, match="'rank'.* is left out: a metric of this name"):
            (info,) = [info for info in available() if info.name == "rank"]
        assert (info.origin, info.error) == ("built-in", None)


@pytest.mark.usefixtures("families")
def test_a_metric_is_described_by_its_defaults() -> None:
    info = describe("answer")
    assert (info.name, info.origin, info.profiles) == ("answer", "built-in", ("quirky", "shared"))
    assert info.metric is not None
    assert info.metric.parameters == {"profile": None}
    with pytest.raises(UnknownNameError, match="did you mean 'answer'"):
        describe("anser")


class TestMetricFiles:
    SOURCE = """
from trajmeter import metric

@metric
def length(task, trajectory):
    return len(trajectory.final_output or "")

@metric
def answered(task, trajectory):
    return trajectory.final_output is not None
"""

    def _write(self, folder: Path, source: str = SOURCE) -> str:
        file = folder / "my metrics.py"
        file.write_text(source)
        return str(file)

    def test_a_file_and_a_name(self, tmp_path: Path) -> None:
        file = self._write(tmp_path)
        metrics = create([f"{file}@answered", f"{file}@length"])
        assert [metric.name for metric in metrics] == ["answered", "length"]

    def test_the_name_may_be_left_out_where_there_is_one(self, tmp_path: Path) -> None:
        single = self.SOURCE[: self.SOURCE.rindex("@metric")]
        (metric,) = create([self._write(tmp_path, single)])
        assert metric.name == "length"

    @pytest.mark.parametrize(
        ("source", "name", "message"),
        [
            (SOURCE, "@width", r"unknown metric 'width' in .*available: answered, length"),
            (SOURCE, "", r"has to name one of its metrics \(.*@name\): answered, length"),
            ("x = 1", "", r"none; decorate a function with trajmeter\.metric"),
            ("1 / 0", "@x", r"raised ZeroDivisionError: division by zero"),
            ("def :", "@x", r"raised SyntaxError"),
        ],
    )
    def test_a_file_that_holds_no_such_metric_is_refused(
        self, tmp_path: Path, source: str, name: str, message: str
    ) -> None:
        with pytest.raises(ConfigurationError, match=message):
            create([self._write(tmp_path, source) + name])

    def test_an_absent_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"absent\.py does not exist"):
            create([str(tmp_path / "absent.py@x")])

    def test_a_file_is_run_once(self, tmp_path: Path) -> None:
        file = self._write(tmp_path)
        first, second = create([f"{file}@length"]), create([f"{file}@length"])
        assert first[0] is second[0]

    def test_a_family_of_a_file_is_an_object_there(self, tmp_path: Path) -> None:
        source = (
            "from tests.metrics.fakes import RankMetric\n"
            "ranked = RankMetric()\n"
            "half_made = RankMetric()\n"
            "half_made.version = None\n"
        )
        file = self._write(tmp_path, source)
        (metric,) = create([f"{file}@ranked"])
        assert isinstance(metric, fakes.RankMetric)
        with pytest.raises(UnknownNameError, match="available: half_made, ranked"):
            create([f"{file}@RankMetric"])
        with pytest.raises(ConfigurationError, match=r"the version of metric .* is None"):
            create([f"{file}@half_made"])

    def test_a_file_that_has_changed_is_run_anew(self, tmp_path: Path) -> None:
        file = self._write(tmp_path)
        create([f"{file}@length"])
        self._write(tmp_path, self.SOURCE.replace("def length", "def width"))
        (metric,) = create([f"{file}@width"])
        assert metric.name == "width"

    def test_modules_next_to_a_file_are_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.path", sys.path.copy())
        (tmp_path / "words_beside_it.py").write_text("LEAST = 3\n")
        source = self.SOURCE.replace("from", "from words_beside_it import LEAST\nfrom", 1)
        (metric,) = create([f"{self._write(tmp_path, source)}@length"])
        assert metric.name == "length"
