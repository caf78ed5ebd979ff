"""Who we are to Amazon and where its services are, from botocore's usual sources."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from speech.errors import EngineError, EngineRefusedError, UsageError

WHAT = "AWS credentials"
NO_CREDENTIALS = (
    "no AWS credentials: set a profile (aws configure, AWS_PROFILE), AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY, or run with a role"
)


@dataclass(frozen=True)
class Access:
    """``region``, ``profile`` and ``credentials_file`` default to what the AWS tools use.

    ``endpoint_url`` replaces the service's address and ``ca_file`` the certificates that are
    trusted (``AWS_CA_BUNDLE`` does too). Nothing is imported or read before it is asked for.
    """

    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None
    ca_file: Path | None = None
    credentials_file: Path | None = None

    @cached_property
    def session(self) -> Any:
        """A botocore session. Raises ``UsageError`` for a profile that does not exist."""
        import botocore.session
        from botocore.exceptions import ProfileNotFound

        session = botocore.session.Session(profile=self.profile)
        if self.credentials_file is not None:
            session.set_config_variable("credentials_file", str(self.credentials_file))
        try:
            session.get_scoped_config()
        except ProfileNotFound as error:
            raise UsageError(f"AWS has no profile {session.profile!r} here") from error
        return session

    def known_region(self) -> str:
        """The region. Raises ``UsageError`` where none is set."""
        region = self.region or self.session.get_config_variable("region")
        if not region:
            raise UsageError(
                "no AWS region: set tts.sagemaker.region (tts.polly.region), AWS_REGION"
            )
        return str(region)

    def trusted(self) -> Path | None:
        """The file of certificates to trust instead of the system's."""
        bundle = self.ca_file or self.session.get_config_variable("ca_bundle")
        return Path(bundle) if bundle else None

    async def credentials(self) -> Any:
        """Frozen credentials, refreshed when they are about to expire.

        Raises ``EngineRefusedError`` where there are none, and another ``EngineError`` where
        whoever gives them cannot be reached just now. Reading and refreshing them may
        take files, a process or the network, so that is done in a thread.
        """
        found = self._found
        if found is not None and not _to_be_refreshed(found):
            return found.get_frozen_credentials()
        return await asyncio.to_thread(self._refreshed)

    @cached_property
    def _kept(self) -> dict[str, Any]:
        return {}

    @property
    def _found(self) -> Any:
        return self._kept.get("credentials")

    def _refreshed(self) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            found = self._found or self.session.get_credentials()
            if found is None:
                raise EngineRefusedError(NO_CREDENTIALS)
            self._kept["credentials"] = found
            return found.get_frozen_credentials()
        except (BotoCoreError, ClientError, RuntimeError) as error:
            raise _failure(error) from error

    def client(self, service: str, *, timeout_s: float, connections: int) -> Any:
        """A boto3 client that never retries: a retry we do not see looks like a slow success."""
        import boto3
        from botocore.config import Config

        trusted = self.trusted()
        config = Config(
            connect_timeout=5,
            read_timeout=timeout_s,
            tcp_keepalive=True,
            max_pool_connections=connections,
            retries={"total_max_attempts": 1},
        )
        return boto3.Session(botocore_session=self.session).client(
            service,
            region_name=self.known_region(),
            endpoint_url=self.endpoint_url,
            verify=str(trusted) if trusted else None,
            config=config,
        )


def _failure(error: Exception) -> EngineError:
    """What keeps credentials from us: a network that is away, or something to be set right."""
    from botocore import exceptions as boto

    from speech.engines.aws.boto_errors import understood

    away = (boto.ConnectionError, boto.HTTPClientError, boto.MetadataRetrievalError)
    if isinstance(error, (boto.ClientError, *away)):
        return understood(WHAT, error)
    return EngineRefusedError(f"{WHAT}: {' '.join(str(error).split())}")


def _to_be_refreshed(credentials: Any) -> bool:
    ask = getattr(credentials, "refresh_needed", None)
    return bool(ask and ask())
