"""The pages: their code runs as it stands, block after block, and their commands exist."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

import gittins

optuna = pytest.importorskip("optuna")
ROOT = pathlib.Path(__file__).parent.parent.parent
HUB = ROOT / "python" / "optunahub"

#: How many blocks of Python each page has: a page that loses its code is found, too.
BLOCKS = {
    "README.md": 1,
    "docs/command.md": 1,
    "docs/first.md": 2,
    "docs/guide.md": 2,
    "docs/items.md": 2,
    "docs/mixtures.md": 1,
    "docs/recipes.md": 10,
    "docs/sklearn.md": 1,
    "docs/stages.md": 1,
    "python/README.md": 7,
    "python/optunahub/callbacks/gittins_stop/README.md": 1,
    "python/optunahub/pruners/gittins_pruner/README.md": 1,
    "python/optunahub/samplers/gittins/README.md": 1,
}


def pages():
    found = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/README.md")]
    return [*found, *ROOT.glob("python/*.md"), *ROOT.glob("python/optunahub/**/README.md")]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def with_code():
    if not (ROOT / "ARCHITECTURE.md").exists():
        pytest.skip("the pages of the repository are not here")
    counted = {str(page.relative_to(ROOT)): len(blocks(page, "python")) for page in pages()}
    return {page: count for page, count in counted.items() if count}


def load_module(package):
    """Load a package of the hub from its folder here, as the hub's own function does from its."""
    path = HUB / package / "__init__.py"
    spec = importlib.util.spec_from_file_location(package.replace("/", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_code_is_known():
    assert with_code() == BLOCKS


@pytest.mark.parametrize("page", [page for page in BLOCKS if page != "docs/recipes.md"])
def test_the_code_of_a_page_runs(page, monkeypatch, tmp_path):
    with_code()
    if page == "docs/command.md":
        pytest.skip("a training for the command, whose own tests run it")
    if page in ("docs/sklearn.md", "docs/stages.md"):
        pytest.importorskip("sklearn")
    monkeypatch.setitem(sys.modules, "optunahub", types.ModuleType("optunahub"))
    monkeypatch.setattr(sys.modules["optunahub"], "load_module", load_module, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "train", raising=False)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks(ROOT / page, "python")):
        if file := re.match(r"# (\w+\.py)$", block, re.MULTILINE):
            (tmp_path / file[1]).write_text(block)
        if "gittins.sklearn" in block and importlib.util.find_spec("sklearn") is None:
            continue
        exec(compile(block, f"{page}, block {number}", "exec"), names)


@pytest.mark.skipif(os.name != "posix", reason="the command needs Unix")
def test_the_command_of_the_first_page_runs(tmp_path):
    with_code()
    page = ROOT / "docs" / "first.md"
    (tmp_path / "train.py").write_text(blocks(page, "python")[0])
    (study,) = blocks(page, "toml")
    assert '["python3", ' in study
    study = study.replace('"python3"', json.dumps(sys.executable))
    (tmp_path / "study.toml").write_text(study)
    run = subprocess.run(
        [sys.executable, "-c", "import gittins._command as it; it.main()", "run", "study.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "\nstop: best " in run.stdout
    assert (tmp_path / "study.journal").exists()


@pytest.mark.parametrize("number", range(1, BLOCKS["docs/recipes.md"]))
def test_a_recipe_runs_if_its_host_is_here(number, monkeypatch, tmp_path, request):
    with_code()
    first, *recipes = blocks(ROOT / "docs" / "recipes.md", "python")
    for module in re.findall(r"^(?:import|from) (\w+)", recipes[number - 1], re.MULTILINE):
        pytest.importorskip(module)
        if module == "ray":
            request.getfixturevalue("with_ray")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in (first, recipes[number - 1]):
        exec(compile(block, f"docs/recipes.md, recipe {number}", "exec"), names)


def test_the_space_of_the_guide_as_data_is_one():
    with_code()
    tomllib = pytest.importorskip("tomllib")
    (block,) = blocks(ROOT / "docs" / "guide.md", "toml")
    space = gittins.Space.from_data(tomllib.loads(block))
    asks = [gittins.Study(space, "minimize", seed=seed).ask() for seed in range(9)]
    assert {ask["solver"] for ask in asks} == {"adam", "sgd"}
    assert all(("momentum" in ask) == (ask["solver"] == "sgd") for ask in asks)
    assert all(ask.get("momentum", 0.0) <= 0.95 for ask in asks)


def test_the_commands_of_the_pages_exist():
    with_code()
    table = (ROOT / "docs" / "command.md").read_text()
    known = set(re.findall(r"`gittins ([a-z-]+)", table)) | {"man", "schema"}
    assert {"run", "ask", "tell", "should-stop"} <= known
    said = {
        (str(page.relative_to(ROOT)), word)
        for page in pages()
        for block in blocks(page, "sh")
        for word in re.findall(r"\bgittins ([a-z][a-z-]+)(?= |$)", block, re.MULTILINE)
    }
    assert said
    assert {(page, word) for page, word in said if word not in known} == set()


@pytest.mark.skipif(os.name != "posix", reason="the command needs Unix")
def test_the_options_of_commands_on_the_pages_exist():
    with_code()
    shown = [
        re.match(r"([a-z-]+)(.*?)(?: -- |$)", rest)
        for page in pages()
        for block in blocks(page, "sh")
        for rest in re.findall(r"\bgittins ([a-z][a-z-]+ .*)", block)
    ]
    said = {(line[1], option) for line in shown for option in re.findall(r" (--\w+)", line[2])}
    assert {("run", "--workers"), ("ask", "--env")} <= said
    helps = {
        word: subprocess.run(
            [sys.executable, "-c", "import gittins._command as it; it.main()", word, "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for word, _ in said
    }
    assert {(word, option) for word, option in said if f" {option} " not in helps[word]} == set()


def test_the_pages_for_assistants_are_those_of_the_site():
    with_code()
    listed = (ROOT / "docs" / "llms.txt").read_text()
    lines = [line for line in listed.splitlines() if line.startswith("- ")]
    linked = [re.fullmatch(r"- \[[^]]+\]\(([a-z]+)\.html\): .+", line)[1] for line in lines]
    nav = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    assert sorted(linked) == sorted(re.findall(r"([a-z]+)\.md$", nav, re.MULTILINE))
    title, blank, summary = listed.splitlines()[:3]
    assert (title, blank, summary[:2]) == ("# gittins", "", "> ")


def test_what_the_pages_link_to_is_there():
    with_code()
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: what belongs to the repository is not known")
    known = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    known = {*known, *(str(parent) for name in known for parent in pathlib.Path(name).parents)}
    top = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("evidence/*/README.md")]
    missing = []
    for page in [*pages(), *top]:
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
            place = os.path.relpath(page.parent / link, ROOT)
            if "://" not in link and place not in known:
                missing.append((str(page.relative_to(ROOT)), link))
    assert missing == []


def calls_in_lines():
    """Return the calls in the lines of pages, each with its page. One page is of Rust alone."""
    for page in [page for page in pages() if page.name != "control.md"]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for span in re.findall(r"`([^`\n]+)`", text):
            if "(" not in span or "\\" in span:
                continue
            try:
                tree = ast.parse(span, mode="eval").body
            except SyntaxError:
                continue
            if isinstance(tree, ast.Call) and isinstance(tree.func, (ast.Name, ast.Attribute)):
                yield str(page.relative_to(ROOT)), span, tree


def called(function):
    """Return what may be meant by the function of a call."""
    from gittins.optuna import GittinsSampler, GittinsStop

    studies = (gittins.Study, gittins.Journal, optuna.study.Study)
    kinds = {
        "study": studies,
        "ask": (gittins.Ask,),
        "run": (gittins.stages.Run,),
        "stop": (GittinsStop,),
        "sampler": (GittinsSampler,),
        "trial": (optuna.trial.Trial,),
        "gittins": (gittins,),
    }
    everything = (*studies, gittins, gittins.Space, gittins.stages.Run, optuna.samplers)
    names = {"GittinsStop": GittinsStop, "GittinsSampler": GittinsSampler, "Table": gittins.Table}
    *path, name = ast.unparse(function).split(".")
    found = [names[path[0]]] if path and path[0] in names else kinds.get((path or [""])[0], [])
    for step in path[1:]:
        found = [getattr(one, step, None) for one in found]
    if not path:
        found = [types.SimpleNamespace(**names), *everything]
    return [getattr(one, name) for one in found if hasattr(one, name)]


def takes(function, call):
    """Return whether a function takes the arguments of a call."""
    # A name with a capital is a class, whose methods have no `self` that is bound.
    is_bound = re.match("[a-z_]+$|[a-z]+[.][a-z]", ast.unparse(call.func)) is not None
    has_self = inspect.isfunction(function) and "self" in inspect.signature(function).parameters
    values = [*call.args, *(word.value for word in call.keywords)]
    is_part = any(isinstance(one, ast.Constant) and one.value is ... for one in values)
    named = {word.arg: None for word in call.keywords}
    with contextlib.suppress(TypeError):
        signature = inspect.signature(function)
        bind = signature.bind_partial if is_part else signature.bind
        bind(*[None] * (len(call.args) + (is_bound and has_self)), **named)
        return True
    return False


def test_the_calls_in_lines_of_pages_can_be_made():
    with_code()
    rust = set(re.findall(r"\bfn [\w:<>]*?(\w+)[(<]", (ROOT / "docs" / "api.txt").read_text()))
    assert {"history", "total_cost", "numbers"} <= rust
    # Those that are no calls of ours, and one of Optuna 5.
    others = {"sqrt", "exp", "p", "range", "K", "set_constraint"}
    unknown, seen = [], set()
    for page, span, call in calls_in_lines():
        name = ast.unparse(call.func).split(".")[-1]
        try:
            found = called(call.func)
        except ImportError:  # Of a host that is not here.
            continue
        if any(takes(function, call) for function in found):
            seen.add(span)
        elif name not in others and not (name in rust and not call.keywords):
            unknown.append((page, span))
    # It is there as a word that is answered with ours.
    assert unknown == [("python/README.md", "study.should_stop()")]
    assert {"study.verdict()", "ask(within=5.0)", "GittinsStop(hour=0.1)"} <= seen
