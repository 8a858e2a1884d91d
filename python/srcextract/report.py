"""The report of an image."""
import html
import os

from srcextract import files
from srcextract.errors import OutputError


class Report:
    """One HTML page with the image, its sources, plots, times and configuration. It needs no network.

    A notebook shows it in a frame.

    Parameters
    ----------
    page : str
        The page's text.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, as UTF-8; an existing file is replaced.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        OutputError
        """
        text = files.path_text(path)
        try:
            with open(text, "w", encoding="utf-8") as file:
                file.write(self.page)
        except OSError as error:
            raise OutputError(f"{text}: cannot be written: {error.strerror}") from None

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page)}" title="Report" sandbox="allow-scripts" '
                'style="width: 100%; height: 50em; border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<Report: a page of {len(self.page.encode()) / 1000:.0f} kB>"
