"""Errors a user can act on."""


class EarshotError(Exception):
    """One line that says what is wrong and what to do; shown without a traceback.

    ``exit_code`` is the process's status where the error ends a command:
    1 for a failure, 2 for wrong use (a flag, a key, a file the user wrote).
    """

    exit_code = 1


class UsageError(EarshotError):
    """The user's words are off: a flag, a configuration key, a scenario line."""

    exit_code = 2


class UnknownVoiceError(UsageError):
    """The engine has no such voice; the message lists those it has."""


class EngineError(EarshotError):
    """Synthesis failed; the session stays usable for the next unit."""


class EngineBusyError(EngineError):
    """A remote engine takes no more just now; ``retry_after_s`` is when it says to come back."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class EngineRefusedError(EngineError):
    """A remote engine will not serve us, and waiting does not mend it: a token, an address."""


class ModelFileError(EarshotError):
    """A model file is missing, truncated or not the one its hash names."""


class DeviceError(EarshotError):
    """A sound device is missing, busy or refuses every format."""
