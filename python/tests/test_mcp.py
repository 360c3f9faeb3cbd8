"""The server for assistants, by a client of the protocol and as a process of its own."""

from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import gittins

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")
pytest.importorskip("mcp.server.mcpserver")

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "agents.md"

#: A server that says which process it is.
SERVER = """
import os, pathlib, runpy, sys
mark = pathlib.Path(sys.argv.pop())
mark.write_text(str(os.getpid()))
runpy.run_module("gittins.mcp", run_name="__main__", alter_sys=False)
"""

PARAMETERS = [
    {"name": "rate", "type": "log_float", "low": 1e-5, "high": 1e-1},
    {"name": "depth", "type": "int", "low": 2, "high": 12},
    {"name": "solver", "type": "choice", "values": ["adam", "sgd", 3]},
    {
        "name": "momentum",
        "type": "float",
        "low": 0.0,
        "high": 0.99,
        "when": {"solver": "sgd", "depth": {"at_least": 3}},
    },
]
RATES = {
    "study": "rates",
    "parameters": PARAMETERS,
    "direction": "minimize",
    "price": 1e-3,
    "cost": "learned",
    "cost_unit": "s",
    "settings": {"seed": 7},
}


def loss(rate, depth, solver, momentum=0.5):
    return (math.log10(rate) + 2.5) ** 2 / 4 + (depth - 7) ** 2 / 50 + abs(momentum - 0.5) / 10


class Caller:
    """An assistant: it calls tools, and reads answers."""

    def __init__(self, session):
        self.session = session

    async def said(self, tool, arguments):
        return await self.session.call_tool(tool, arguments)

    async def __call__(self, tool, **arguments):
        result = await self.said(tool, arguments)
        assert not result.is_error, result.content[0].text
        # Both forms of an answer are the same.
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refused(self, tool, **arguments):
        result = await self.said(tool, arguments)
        assert result.is_error
        assert len(result.content) == 1
        return result.content[0].text


@contextlib.asynccontextmanager
async def served(place, mark=None):
    """Start a server of a folder or of a file, and call it."""
    mark = mark or pathlib.Path(os.devnull)
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-c", SERVER, str(place), str(mark)], env=dict(os.environ)
    )
    async with mcp.stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        yield Caller(session)


def test_an_assistant_tunes_until_the_verdict_says_to_stop(tmp_path):
    async def tuned():
        async with served(tmp_path) as call:
            begun = await call("create_study", **RATES)
            assert begun["parameters"][:2] == PARAMETERS[:2]
            assert begun["parameters"][2]["values"] == ["adam", "sgd", 3]
            assert "'solver' is 'sgd'" in begun["parameters"][3]["when"]
            assert begun["verdict"].startswith("continue: ")
            old = {"rate": 1e-2, "depth": 4, "solver": "adam"}
            await call("import_trial", study="rates", values=old, outcome=loss(**old), cost=6)
            for _ in range(60):
                (ask,) = (await call("ask_trials", study="rates", count=None))["trials"]
                assert ("momentum" in ask["values"]) == (
                    ask["values"]["solver"] == "sgd" and ask["values"]["depth"] >= 3
                )
                told = {"outcome": loss(**ask["values"]), "cost": 2.0 + ask["values"]["depth"]}
                row = await call("tell_trial", study="rates", trial=ask["trial"], **told)
                assert (row["state"], row["outcome"]) == ("complete", told["outcome"])
                verdict = await call("get_verdict", study="rates")
                if verdict["stop"]:
                    break
            assert verdict["stop"]
            assert verdict["words"].startswith("stop: ")
            assert set(verdict) == {"stop", "rule", "statistic", "threshold", "words"}
            best = (await call("get_recommendation", study="rates"))["recommendation"]
            assert best["outcome"] < 0.2
            listed = await call("list_trials", study="rates", last=2)
            assert len(listed["trials"]) == 2
            (line,) = (await call("list_studies"))["studies"]
            assert line["trials"] == listed["count"]
            return listed["count"], verdict["words"], best["words"]

    count, words, best = anyio.run(tuned)
    # The file is a journal like any other.
    journal = gittins.Journal(tmp_path / "rates.journal")
    assert len(journal.trials()) == count
    assert (journal.verdict().words, journal.recommendation().words) == (words, best)


def test_what_was_told_outlives_a_server_that_is_killed(tmp_path):
    async def killed():
        mark = tmp_path / "process"
        async with served(tmp_path, mark) as call:
            await call("create_study", **RATES)
            first, second = (await call("ask_trials", study="rates", count=2))["trials"]
            await call("tell_trial", study="rates", trial=0, outcome=0.5, cost=3)
            os.kill(int(mark.read_text()), getattr(signal, "SIGKILL", signal.SIGTERM))
            with pytest.raises(mcp.MCPError):
                await call("ask_trials", study="rates")
        async with served(tmp_path) as call:
            shown = await call("get_study", study="rates")
            assert (shown["trials"], shown["pending"]) == (2, [second["trial"]])
            assert shown["best"]["values"]["rate"] == first["values"]["rate"]
            assert shown["total_cost"] == 3.0
            row = await call("tell_trial", study="rates", trial=1, outcome=0.4, cost=2)
            assert row["values"]["rate"] == second["values"]["rate"]
            few = await call("ask_trials", study="rates", within=1e-9)
            assert (few["trials"], few["words"]) == (
                [],
                "nothing else is expected to cost at most 1e-09",
            )
            (third,) = (await call("ask_trials", study="rates"))["trials"]
            assert third["trial"] == 2

    anyio.run(killed)


def test_two_servers_share_a_journal_and_a_program_as_well(tmp_path):
    async def shared():
        async with served(tmp_path) as one, served(tmp_path / "rates.journal") as other:
            await one("create_study", **RATES)
            numbers = []

            async def tune(call):
                for _ in range(5):
                    (ask,) = (await call("ask_trials", study="rates"))["trials"]
                    numbers.append(ask["trial"])
                    told = {"outcome": loss(**ask["values"]), "cost": 1.0}
                    await call("tell_trial", study="rates", trial=ask["trial"], **told)

            async with anyio.create_task_group() as group:
                # Calls of one server wait for each other, and servers do for the file.
                for call in (one, one, other):
                    group.start_soon(tune, call)
            journal = gittins.Journal(tmp_path / "rates.journal")
            ask = journal.ask()
            assert (await other("get_study", study="rates"))["pending"] == [ask.trial]
            await other("tell_trial", study="rates", trial=ask.trial, outcome=1.0, cost=1.0)
            journal.sync()
            assert sorted(numbers) == list(range(15))
            assert [trial.state for trial in journal.trials()] == ["complete"] * 16

    anyio.run(shared)


def test_mistakes_costs_failures_limits_and_contexts_can_be_told(tmp_path):
    async def told():
        async with served(tmp_path) as call:
            space = [
                {"name": "a", "type": "float", "low": 0, "high": 1},
                {"name": "b", "type": "float", "low": 0, "high": 1},
                {"name": "c", "type": "float", "low": 0, "high": 1},
                {"name": "machine", "type": "choice", "values": ["A", "B"]},
                {"name": "batch", "type": "choice", "values": [16, None]},
            ]
            mixed = {
                "study": "mixture",
                "parameters": space,
                "direction": "maximize",
                "budget": 100,
                "cost": {"per_unit": {"a": 3, "batch": {"16": 1, "null": 2}}, "fixed": 1},
                "constraints": [
                    {"terms": {"a": 1, "b": 1, "c": 1}, "equal_to": 1},
                    {"terms": {"a": 1, "b": -1}, "at_least": -0.5, "at_most": 0.5},
                    {"parts": ["a", "b", "c"], "at_most": 2, "least": 0.1},
                ],
                "limits": {"weight": {"at_most": 3}},
                "first": [{"a": 0.5, "b": 0.5, "c": 0, "machine": "A", "batch": 16}],
                "settings": {"policy": {"name": "gittins_decay", "price": 0.1, "factor": 3}},
            }
            shown = await call("create_study", **mixed)
            assert len(shown["constraints"]) == 4
            name = {"study": "mixture"}
            asks = (await call("ask_trials", **name, count=3, where={"a": {"at_most": 0.4}}))[
                "trials"
            ]
            assert all(ask["values"]["a"] <= 0.4 for ask in asks)
            row = await call("fail_trial", **name, trial=0)
            assert (row["state"], row["outcome"]) == ("failed", None)
            row = await call("fail_trial", **name, trial=1, infeasible=True)
            assert row["state"] == "infeasible"
            measured = {"weight": 2}
            row = await call("correct_trial", **name, trial=1, outcome=4, measured=measured)
            assert (row["state"], row["outcome"], row["measured"]) == ("complete", 4.0, measured)
            row = await call("withdraw_trial", **name, trial=2)
            assert row["state"] == "withdrawn"
            asked = await call("ask_trials", **name, context={"machine": "B"})
            assert asked["trials"][0]["values"]["machine"] == "B"
            verdict = await call("get_verdict", **name, context={"machine": "B"})
            assert verdict["stop"] is False
            later = {**RATES, "settings": {"initial": 2}}
            await call("create_study", **later)
            await call("ask_trials", study="rates")
            row = await call("tell_trial", study="rates", trial=0, cost=4)
            assert (row["state"], row["cost"]) == ("pending", 4.0)
            row = await call("tell_trial", study="rates", trial=0, outcome=0.3)
            assert (row["state"], row["cost"]) == ("complete", 4.0)
            pair = {**RATES, "study": "two", "objectives": {"size": "minimize"}}
            await call("create_study", **pair)
            found = await call("get_recommendation", study="two")
            assert (found["recommendation"], found["front"]) == (None, [])
            await call("ask_trials", study="two")
            size = {"measured": {"size": None}}
            row = await call("tell_trial", study="two", trial=0, outcome=1, cost=1, **size)
            assert row["measured"] == {"size": None}

    anyio.run(told)


def with_parameter(**parameter):
    return {**RATES, "study": "new", "parameters": [{"name": "x", **parameter}]}


MISTAKES = {
    "an unknown study": (
        "ask_trials",
        {"study": "rats"},
        "'rats'.*not there.*did you mean 'rates'",
    ),
    "a study that exists": ("create_study", RATES, "'rates': it is there already"),
    "a way out": ("get_study", {"study": "../rates"}, "neither a folder nor an ending; got '../r"),
    "a way out to write": ("create_study", {**RATES, "study": "../x"}, "study: expected a name"),
    "an absolute path": ("get_study", {"study": "/etc/passwd"}, "study: expected a name"),
    "a path of Windows": ("get_study", {"study": "C:\\x"}, "study: expected a name"),
    "an ending": ("create_study", {**RATES, "study": "x.journal"}, "neither a folder nor an end"),
    "a link that leaves": ("ask_trials", {"study": "link"}, "'link': its file is a link that lea"),
    "a name that is too long": ("create_study", {**RATES, "study": "é" * 150}, "study: expected"),
    "no name": ("get_study", {"study": ""}, "study: expected a text"),
    "a number as a name": ("get_study", {"study": 3}, "study: expected a text, got 3"),
    "no study": ("get_study", {}, "get_study: expected study, got nothing"),
    "an argument of another tuner": (
        "tell_trial",
        {"study": "rates", "trial": 0, "value": 1},
        "tell_trial: unknown key 'value'; there are .*'outcome'",
    ),
    "a file that is no journal": ("get_study", {"study": "broken"}, "broken.journal, line 1"),
    "an unknown tool": ("suggest", {}, "suggest"),
    "a kind misspelled": (
        "create_study",
        with_parameter(type="logfloat", low=1, high=2),
        "parameter 'x': type.*did you mean 'log_float'",
    ),
    "no bounds": ("create_study", with_parameter(type="int", low=1), "'x': expected high, got"),
    "bounds swapped": (
        "create_study",
        with_parameter(type="float", low=1, high=0),
        "'x'.*lower bound must be below",
    ),
    "values of a float": (
        "create_study",
        with_parameter(type="float", low=0, high=1, values=[1]),
        "'x': unknown key 'values'",
    ),
    "parameters by name": (
        "create_study",
        {**RATES, "study": "new", "parameters": {"x": [0, 1]}},
        "parameters: expected a list of objects",
    ),
    "no parameter": ("create_study", {**RATES, "study": "new", "parameters": []}, "parameter"),
    "a sum without its total": (
        "create_study",
        {**RATES, "study": "new", "constraints": [{"terms": {"rate": 1}}]},
        "constraint 1: expected at_most, at_least or equal_to, got",
    ),
    "a direction misspelled": (
        "create_study",
        {**RATES, "study": "new", "direction": "minimise"},
        "did you mean 'minimize'",
    ),
    "a setting of another tuner": (
        "create_study",
        {**RATES, "study": "new", "settings": {"n_iter": 3}},
        "'n_iter' is no setting; here it is 'n_trials'",
    ),
    "stages": (
        "create_study",
        {**RATES, "study": "new", "settings": {"stages": {"epochs": 9}}},
        "'stages' is no setting",
    ),
    "a study in stages": ("ask_trials", {"study": "stages"}, "'stages': it runs in stages"),
    "no trial": ("ask_trials", {"study": "rates", "count": 0}, "count.*from 1 to 100, got 0"),
    "a million": ("ask_trials", {"study": "rates", "count": 10**6}, "count.*from 1 to 100"),
    "an unknown trial": ("tell_trial", {"study": "rates", "trial": 99, "outcome": 1}, "99"),
    "a trial told twice": (
        "tell_trial",
        {"study": "rates", "trial": 0, "outcome": 1.0, "cost": 1.0},
        "trial 0.*told",
    ),
    "a text as an outcome": (
        "tell_trial",
        {"study": "rates", "trial": 1, "outcome": "0.3", "cost": 1.0},
        "trial 1: the outcome: expected a number, got '0.3'",
    ),
    "NaN as a text": (
        "tell_trial",
        {"study": "rates", "trial": 1, "outcome": "NaN", "cost": 1.0},
        "the outcome: expected a number, got 'NaN'",
    ),
    "no outcome": ("tell_trial", {"study": "rates", "trial": 1}, "trial 1: expected an outcome"),
    "no cost": ("tell_trial", {"study": "rates", "trial": 1, "outcome": 1.0}, "expected the cost"),
    "a negative cost": (
        "tell_trial",
        {"study": "rates", "trial": 1, "outcome": 1.0, "cost": -1.0},
        "cost",
    ),
    "a part that is not there": (
        "ask_trials",
        {"study": "rates", "where": {"solvr": "sgd"}},
        "did you mean 'solver'",
    ),
    "values out of bounds": (
        "import_trial",
        {"study": "rates", "values": {"rate": 1, "depth": 2, "solver": "adam"}, "outcome": 1},
        "rate",
    ),
}


def test_first_mistakes_are_answered_by_sentences_and_change_nothing(tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    study = gittins.Journal(
        folder / "rates.journal",
        gittins.Space()
        .log_float("rate", 1e-5, 1e-1)
        .int("depth", 2, 12)
        .choice("solver", ["adam", "sgd"]),
        cost="learned",
    )
    study.tell(study.ask(), 0.5, cost=1.0)
    study.ask()
    gittins.Journal(
        folder / "stages.journal", gittins.Space().float("x", 0, 1), stages={"epochs": 9}
    )
    (folder / "broken.journal").write_text("hello\n")
    gittins.Journal(tmp_path / "outside.journal", gittins.Space().float("x", 0, 1))
    mistakes = dict(MISTAKES)
    try:
        (folder / "link.journal").symlink_to(tmp_path / "outside.journal")
    except OSError:
        # Not everybody may make links on Windows.
        del mistakes["a link that leaves"]

    def files():
        return {path: path.read_bytes() for path in tmp_path.rglob("*.journal")}

    async def refused():
        async with served(folder) as call:
            return {what: await call.refused(tool, **a) for what, (tool, a, _) in mistakes.items()}

    before = files()
    answers = anyio.run(refused)
    wrong = {what: said for what, said in answers.items() if not re.search(MISTAKES[what][2], said)}
    assert wrong == {}
    assert not [what for what, said in answers.items() if "Traceback" in said or "\n" in said]
    assert files() == before


def test_tools_are_described_by_sentences_schemas_and_hints(tmp_path):
    async def listed():
        async with served(tmp_path) as call:
            return (await call.session.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(listed)}
    assert list(tools) == [
        "list_studies",
        "create_study",
        "get_study",
        "ask_trials",
        "tell_trial",
        "fail_trial",
        "correct_trial",
        "withdraw_trial",
        "import_trial",
        "list_trials",
        "get_verdict",
        "get_recommendation",
    ]
    for tool in tools.values():
        assert tool.description.endswith(".")
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        for argument in tool.input_schema["properties"].values():
            assert argument["type"]
            assert argument["description"].endswith((".", "}"))
    assert tools["ask_trials"].input_schema["required"] == ["study"]
    reads = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reads == {"get_study", "list_studies", "list_trials"}
    destroys = {name for name, tool in tools.items() if tool.annotations.destructive_hint}
    assert destroys == {"correct_trial", "withdraw_trial"}


def test_the_output_has_the_protocol_alone_and_no_number_that_json_has_not(tmp_path):
    def call(number, tool, arguments):
        asked = {"name": tool, "arguments": arguments}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked}

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(1, "create_study", RATES),
        call(2, "ask_trials", {"study": "rates"}),
        call(3, "tell_trial", {"study": "rates", "trial": 0, "outcome": math.nan, "cost": 1}),
        call(4, "get_verdict", {"study": "rates"}),
        call(5, "list_studies", {}),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "gittins.mcp", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    answers = {}
    for line in lines:
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        if "id" in line:
            # Python would read NaN, which JSON has not.
            answer = json.loads(process.stdout.readline(), parse_constant=pytest.fail)
            answers[answer["id"]] = answer["result"]
    rest, log = process.communicate()
    assert (rest, log, process.returncode) == ("", "", 0)
    assert answers[0]["serverInfo"]["version"] == gittins.__version__
    assert "ask_trials" in answers[0]["instructions"]
    assert answers[3]["isError"]
    assert "the outcome" in answers[3]["content"][0]["text"]
    assert answers[4]["structuredContent"]["statistic"] is None
    assert answers[5]["structuredContent"]["studies"][0]["pending"] == 1


def run_module(*words, code="import runpy; runpy.run_module('gittins.mcp', run_name='__main__')"):
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, input="")


def test_the_command_line_says_what_is_wrong_with_it(tmp_path):
    assert run_module().stderr == "usage: python -m gittins.mcp FOLDER, or FILE.journal\n"
    assert run_module("--help").stderr.startswith("usage: ")
    missing = run_module(tmp_path / "none")
    assert missing.returncode == 1
    assert missing.stderr.startswith(f"error: {tmp_path.resolve() / 'none'}: expected a folder")


def test_without_the_sdk_a_sentence_says_what_to_install(tmp_path):
    hidden = "import sys; sys.modules['mcp.server.mcpserver'] = None; sys.modules['mcp'] = None\n"
    code = hidden + "import runpy; runpy.run_module('gittins.mcp', run_name='__main__')"
    found = run_module(tmp_path, code=code)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == (
        'gittins.mcp needs the SDK of MCP, version 2 or later: pip install "gittins[mcp]"\n'
    )
    code = "import gittins, sys; assert 'mcp' not in sys.modules and 'pydantic' not in sys.modules"
    assert run_module(code=code).returncode == 0


def test_a_server_of_one_file_has_no_other_study(tmp_path):
    gittins.Journal(tmp_path / "other.journal", gittins.Space().float("x", 0, 1))

    async def one():
        async with served(tmp_path / "rates.journal") as call:
            assert (await call("list_studies"))["studies"] == []
            assert "'rates' alone" in await call.refused("get_study", study="other")
            assert "'rates' alone" in await call.refused(
                "create_study", **{**RATES, "study": "new"}
            )
            await call("create_study", **RATES)
            assert len((await call("list_studies"))["studies"]) == 1

    anyio.run(one)


def alike(shown, answer):
    """Return whether an answer has what a page shows of it."""
    if isinstance(shown, dict):
        return all(key in answer and alike(shown[key], answer[key]) for key in shown)
    if isinstance(shown, list):
        return len(shown) == len(answer) and all(map(alike, shown, answer))
    return answer == (pytest.approx(shown) if isinstance(shown, float) else shown)


def test_the_calls_of_the_page_are_answered_as_it_says(tmp_path):
    if not PAGE.exists():
        pytest.skip("the pages of the repository are not here")
    page = PAGE.read_text()
    blocks = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    client, *shown = map(json.loads, blocks)
    assert client["mcpServers"]["gittins"]["args"][:2] == ["-m", "gittins.mcp"]
    assert len(shown) == 9

    async def played():
        async with served(tmp_path) as call:
            for block in shown:
                if "tool" in block:
                    answer = await call(block["tool"], **block["arguments"])
                else:
                    assert alike(block, answer)
            return [tool.name for tool in (await call.session.list_tools()).tools]

    # The table has each tool.
    assert anyio.run(played) == re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
