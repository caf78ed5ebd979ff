"""The list of checks, in the order in which they are shown."""

from __future__ import annotations

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.doctor.check import Probe
from bot.doctor.keys import check_dotenv, check_keys
from bot.doctor.machine import check_disk, check_memory, check_processor, check_python
from bot.doctor.models import check_models, check_voice, missing_bytes
from bot.doctor.network import check_llm, check_port
from bot.doctor.packages import check_espeak, check_packages
from bot.doctor.queues import check_queues
from bot.doctor.remote_voice import check_remote_voice
from bot.doctor.sound import check_sound
from speech.models.store import models_root


def all_probes(settings: Settings, secrets: Secrets) -> list[Probe]:
    """Every check for this configuration that makes no sound."""
    root = models_root(settings.models.dir)
    web, phone = settings.web, settings.phone
    return [
        Probe("python", check_python),
        Probe("processor", check_processor),
        Probe("memory", check_memory),
        Probe("disk", lambda: check_disk(root, missing_bytes(settings, secrets))),
        Probe("packages", check_packages),
        Probe("espeak-ng", check_espeak),
        Probe("models", lambda: check_models(settings, secrets)),
        Probe("voice", lambda: check_voice(settings)),
        Probe("remote voice", lambda: check_remote_voice(settings, secrets)),
        Probe("sound", lambda: check_sound(settings.audio)),
        Probe("queues", check_queues),
        Probe("keys", lambda: check_keys(settings, secrets)),
        Probe(".env", check_dotenv),
        Probe("llm", lambda: check_llm(settings, secrets)),
        Probe("port web", lambda: check_port("web", web.host, web.port)),
        Probe("port phone", lambda: check_port("phone", phone.host, phone.port)),
    ]
