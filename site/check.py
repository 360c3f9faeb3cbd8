"""Follow every link of the built site to its file and its anchor, and list those that leave it."""

from __future__ import annotations

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag is called and what it points to."""
        said = dict(attrs)
        self.anchors |= {said[key] for key in ("id", "name") if said.get(key)}
        self.links |= {said[key] for key in ("href", "src") if said.get(key)}


def main(site: pathlib.Path) -> int:
    """Print what is broken, and how many links were followed. Returns the exit status."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    away: set[str] = set()
    broken, followed = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                away.add(link)
                continue
            followed += 1
            place = urllib.parse.unquote(parts.path)
            base = site if place.startswith("/") else path.parent
            target = (base / place.lstrip("/")).resolve() if place else path
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                broken.append(f"{path.relative_to(site)}: {link}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{path.relative_to(site)}: {link}: no such anchor")
    for link in sorted(away):
        print(f"leaves the site, not fetched: {link}")
    print(f"{len(pages)} pages, {followed} links followed, {len(away)} addresses outside")
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    # A site without pages has no broken links either.
    return 1 if broken or not followed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
