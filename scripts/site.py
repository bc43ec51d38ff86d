"""For mkdocs: the site has some pages that do not live in docs/, its links lead where those of the repository lead, and its anchors are
those of code hosts, so that one link works in both. What the site does not have (sources, examples) becomes plain text.

Nothing of mkdocs is imported before it calls on_files, so that a test can ask for the rest without it.
"""
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {  # pages of the site, and where they are in the repository
    "contributing.md": "CONTRIBUTING.md",
    "architecture.md": "ARCHITECTURE.md",
    "changes.md": "CHANGELOG.md",
    "results.md": "benchmarks/RESULTS.md",
    "benchmarks.md": "benchmarks/README.md",
}
LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def slug(heading, separator="-"):
    """The anchor of a heading: lower case, letters, digits and hyphens, each space a hyphen."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def page_of(path):
    """The page of the site that shows a file of the repository, or none."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    for page, place in OUTSIDE.items():
        if place == path:
            return page
    return figures().get(path)


def figures():
    """Pictures beside the pages that do not live in docs/, by their place in the repository."""
    return {f"benchmarks/{path.name}": path.name for path in sorted((ROOT / "benchmarks").glob("*.svg"))}


def links_of_site(markdown, page):
    """The text of a page with the links that the site has."""
    folder = posixpath.dirname(OUTSIDE.get(page, f"docs/{page}"))

    def replaced(match):
        picture, text, target = match.groups()
        place, _, anchor = target.partition("#")
        if "://" in target or not place:
            return match.group()
        there = page_of(posixpath.normpath(posixpath.join(folder, place)))
        if there is None:
            return text
        return f"{picture}[{text}]({there}{'#' + anchor if anchor else ''})"

    parts = FENCED.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(replaced, part) for part in parts)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def on_files(files, config):
    from mkdocs.structure.files import File  # pylint: disable=import-outside-toplevel

    for name, place in [*OUTSIDE.items(), *((name, place) for place, name in figures().items())]:
        file = File(name, str(ROOT), config["site_dir"], config["use_directory_urls"])
        file.abs_src_path = str(ROOT / place)
        files.append(file)
    return files


def on_page_markdown(markdown, page, **_):
    return links_of_site(markdown, page.file.src_uri)
