"""The exceptions of the package."""

# The module `typing` would take longer to import than all of the package.
from __future__ import annotations


class Error(Exception):
    """What a search or a walk could not do."""

    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class PatternError(Error, ValueError):
    """The pattern does not compile."""


class FilterError(Error, ValueError):
    """A glob or the name of a file type is not valid."""


class RuleFileError(Error, ValueError):
    """A rule file has a line that is not valid, or could not be read. Its other rules hold."""


class EditError(Error):
    """A file may not be changed, or could not be; or the journal of a change could not."""


class PathError(Error, OSError):
    """A path could not be walked or read. The cause is the system's exception."""

    def __init__(
        self, errno: int | str, strerror: str | None = None, filename: str | None = None
    ) -> None:
        if filename is None:
            # A reason that is not the system's.
            OSError.__init__(self, errno)
            self.path = strerror
        else:
            OSError.__init__(self, errno, strerror, filename)
            self.path = filename
