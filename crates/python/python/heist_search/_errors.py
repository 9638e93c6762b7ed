"""The exceptions of the package."""

from typing import Optional, Union


class Error(Exception):
    """What a search or a walk could not do."""

    def __init__(self, message: str, path: Optional[str] = None) -> None:
        super().__init__(message)
        self.path = path


class PatternError(Error, ValueError):
    """The pattern does not compile."""


class FilterError(Error, ValueError):
    """A glob or the name of a file type is not valid."""


class RuleFileError(Error, ValueError):
    """A rule file has a line that is not valid, or could not be read. Its other rules hold."""


class PathError(Error, OSError):
    """A path could not be walked or read. The cause is the system's exception."""

    def __init__(
        self, errno: Union[int, str], strerror: Optional[str] = None, filename: Optional[str] = None
    ) -> None:
        if filename is None:
            # A reason that is not the system's.
            OSError.__init__(self, errno)
            self.path = strerror
        else:
            OSError.__init__(self, errno, strerror, filename)
            self.path = filename
