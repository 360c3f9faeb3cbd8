"""What MkDocs does not know of this repository: pages outside docs/, and links that leave it.

Pages are written for the code host, where a link is a path from its page. Here each link becomes
one to a page of the site, or to the file on the code host if the site does not have it. So pages
stay as they are.
"""

from __future__ import annotations

import ast
import os
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "python" / "gittins"

#: Pages outside docs/, and their names in the site.
PAGES = {
    "README.md": "index.md",
    "python/README.md": "python.md",
    "examples/python/README.md": "examples.md",
    "examples/fleet/README.md": "fleet.md",
    "benches/README.md": "benches.md",
    "evidence/contest/README.md": "played.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
ASSETS = {"assets/site.css": ROOT / "site" / "site.css"}

#: Code, which has no links, or the two parts of a link: what stands before it, and its target.
LINK = re.compile(
    r"(?P<code>^```.*?^```$|`[^`]*`)|(?P<before>\]\()(?P<target>[^)\s]+)", re.MULTILINE | re.DOTALL
)


def on_config(config):
    """List the modules of the package where the list of pages has none."""
    for section in config.nav:
        for entry in next(iter(section.values())):
            if isinstance(entry, dict) and entry.get("Python") == []:
                entry["Python"] = list(_reference())
    return config


def on_files(files, config):
    """Add the pages outside docs/, and one for each public module of the package."""
    for path, name in PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
    for name, path in ASSETS.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    for name, text in _reference().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turn paths of the repository into pages of the site, or into addresses of the code host."""
    names = {name: path for path, name in PAGES.items()}
    home = pathlib.PurePosixPath(names.get(page.file.src_uri, f"docs/{page.file.src_uri}")).parent

    def turned(link):
        if link["code"]:
            return link["code"]
        target, mark, anchor = link["target"].partition("#")
        if not target or "://" in target:
            return link[0]
        path = os.path.normpath(home / target)
        inside = PAGES.get(path) or path.removeprefix("docs/")
        if inside not in files.src_uris and (ROOT / path).exists():
            inside = f"{_repository()}/blob/main/{path}"
        return f"{link['before']}{inside}{mark}{anchor}"

    # What the tests of Rust read behind the language, Python's Markdown does not know.
    return LINK.sub(turned, markdown).replace("```rust,no_run", "```rust")


def _repository():
    """Return where the code is, as the package says."""
    text = (ROOT / "python" / "pyproject.toml").read_text()
    return re.search(r'^Repository = "(.*)"$', text, re.MULTILINE)[1]


def _reference():
    """Return the pages of the Python reference: what `__all__` of each public module names."""
    pages = {}
    top = _names(PACKAGE / "__init__.py")
    for path in sorted(PACKAGE.iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if path.name.startswith("_") or source.suffix != ".py" or not source.exists():
            continue
        module = f"gittins.{path.stem}"
        # What the package itself has is called by its short name.
        lines = [
            f"::: gittins.{name}" if name in top else f"::: {module}.{name}"
            for name in _names(source)
        ]
        said = ast.get_docstring(ast.parse(source.read_text()))
        text = "\n\n".join([f"# {module}", said, *lines])
        pages[f"reference/{module}.md"] = text + "\n"
    return pages


def _names(source):
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    raise ValueError(f"{source} has no __all__")
