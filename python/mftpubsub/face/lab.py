"""The laboratory, and its view in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mftpubsub.errors import InstallationError
from mftpubsub.lab import laboratory

if TYPE_CHECKING:
    from mftpubsub.lab.widget import LabWidget


class Lab(laboratory.Lab):
    def view(self) -> LabWidget:
        """The laboratory in a notebook: step through messages, link and part brokers, see tables change.

        Needs anywidget. Raises InstallationError without it.
        """
        try:
            from mftpubsub.lab.widget import LabWidget
        except ModuleNotFoundError as error:
            raise InstallationError("Lab.view needs anywidget: pip install 'mftpubsub[notebook]'") from error
        return LabWidget(self)
