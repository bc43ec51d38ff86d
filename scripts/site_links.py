"""For mkdocs: links that lead out of docs/, to examples or figures, become plain text, since the site has only the pages."""
import re


def on_page_markdown(markdown, **_):
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", markdown)
