#!/usr/bin/env python3
"""Make a web site of the guide, with mkdocs-material (`pip install '.[docs]'`).

    tools/make_site.py                  write it to build/site
    tools/make_site.py --output DIR     .. or to another folder, which must be new or empty

The pages are those that `retrosim guide` shows. Their links to each other stay; pictures are copied beside
them. Nothing is loaded from elsewhere when the site is read.

Exit status: 0 done, 1 mkdocs refuses a page, 2 usage, 3 mkdocs-material is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from retrosim.guide import FOLDER, TOPICS, fact_names, note_names, read_page  # noqa: E402  (the checkout needs no installation)

PICTURE = re.compile(r"\(((?:\.\./)*[\w/.]+\.png)\)")
PICTURES = "pictures"


def write_pages(folder: Path) -> None:
    """Write all pages into a folder, the first topic as its index, and the pictures that they show."""
    for name in [*TOPICS, *fact_names(), *note_names()]:
        page = folder / f"{file_stem(name)}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = read_page(name).text.replace(f"({TOPICS[0]}.md", f"({file_stem(TOPICS[0])}.md")
        for target in set(PICTURE.findall(text)):
            text = text.replace(f"({target})", f"({copy_picture(target, name, folder)})")
        page.write_text(text, encoding="utf-8")


def file_stem(name: str) -> str:
    """Return the name of a page's file in the site."""
    return "index" if name == TOPICS[0] else name


def copy_picture(target: str, name: str, folder: Path) -> str:
    """Copy a picture that a page shows; return where the page finds the copy."""
    source = ((FOLDER / name).parent / target).resolve()
    copy = folder / PICTURES / f"{source.parent.name}-{source.name}"
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, copy)
    return f"{'../' * name.count('/')}{PICTURES}/{copy.name}"


def configuration(docs: Path, site: Path) -> str:
    """Return mkdocs.yml, as JSON, which is YAML too."""

    def entries(names: Iterable[str]) -> list[dict[str, str]]:
        return [{read_page(name).title.partition(":")[0]: f"{file_stem(name)}.md"} for name in names]

    return json.dumps(
        {
            "site_name": "retrosim",
            "docs_dir": str(docs),
            "site_dir": str(site),
            "use_directory_urls": False,
            "theme": {"name": "material", "font": False, "features": ["navigation.sections"]},
            "plugins": ["search"],
            "markdown_extensions": ["tables", "fenced_code", "admonition", "pymdownx.highlight"],
            "nav": [*entries(TOPICS), {"All facts": entries(fact_names())}, {"Notes": entries(note_names())}],
            "strict": True,
            "validation": {"links": {"not_found": "warn"}},
        }
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Make a web site of the guide.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", metavar="DIR", help="where to write it")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        print("make_site: mkdocs-material is not installed: pip install '.[docs]'", file=sys.stderr)
        return 3
    is_chosen = options.output != parser.get_default("output")
    if is_chosen and options.output.is_dir() and any(options.output.iterdir()):
        parser.error(f"{options.output} is not empty")
    with tempfile.TemporaryDirectory(prefix="retrosim-site-") as work:
        docs, settings = Path(work) / "docs", Path(work) / "mkdocs.yml"
        write_pages(docs)
        settings.write_text(configuration(docs, options.output.resolve()), "utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(settings)]
        return 1 if subprocess.run(command, check=False).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
