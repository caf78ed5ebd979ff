"""A sound card without hardware: a private PulseAudio with a speaker and a microphone.

``bot_out`` is the speaker; what reaches it is recorded for the card's whole life.
``user_mic`` is the microphone; ``play`` speaks into it. Both are seen by PortAudio through
an ALSA configuration, in any process that runs with the card's ``env``.

    python -m bench.soundcard.virtual_card -- COMMAND...

runs a command on such a card.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from bench.soundcard.recorder import PROMPT, RECORD_RATE_HZ, MonitorRecorder

SPEAKER = "bot_out"
SPEECH_SINK = "user_speech"
MICROPHONE = "user_mic"

_START_TIMEOUT_S = 15.0
_STOP_TIMEOUT_S = 5.0
_PACTL_TIMEOUT_S = 10.0

_DAEMON_SCRIPT = f"""\
load-module module-native-protocol-unix auth-anonymous=1 socket={{socket}}
load-module module-cli-protocol-unix socket={{control}}
load-module module-null-sink sink_name={SPEAKER} rate={{speaker_hz}}
load-module module-null-sink sink_name={SPEECH_SINK} rate={RECORD_RATE_HZ}
load-module module-virtual-source source_name={MICROPHONE} master={SPEECH_SINK}.monitor
set-default-sink {SPEAKER}
set-default-source {MICROPHONE}
"""

_ALSA_CONFIG = f"""\
pcm.{SPEAKER} {{ type pulse device {SPEAKER} fallback "" }}
pcm.{MICROPHONE} {{ type pulse device {MICROPHONE} fallback "" }}
pcm.!default {{
  type asym
  playback.pcm {SPEAKER}
  capture.pcm {MICROPHONE}
}}
ctl.!default {{ type pulse }}
"""


def missing_programs() -> list[str]:
    """Names of the programs the card needs and this machine lacks."""
    return [name for name in ("pulseaudio", "pactl", "parec", "paplay") if not shutil.which(name)]


class VirtualCard:
    """The card; a context manager. ``env`` is the environment that shows it to a process.

    ``recorder`` holds what is heard at the speaker, ``user_recorder`` what is said into the
    microphone; both keep a null sink running, which would otherwise need seconds to wake.
    A speaker at the rate of what is played on it (``speaker_hz``) is recorded bit by bit.
    ``prompt`` puts the card's programs before all others, as desktops do: on a busy machine
    it is then not the card that stumbles.
    """

    def __init__(self, speaker_hz: int = RECORD_RATE_HZ, *, prompt: bool = False) -> None:
        self.speaker_hz = speaker_hz
        self._prompt = prompt
        self._dir = Path(tempfile.mkdtemp(prefix="earshot-card-"))
        self._daemon: subprocess.Popen[bytes] | None = None
        self._players: list[subprocess.Popen[bytes]] = []
        self.env = os.environ | self.variables
        self.recorder = MonitorRecorder(f"{SPEAKER}.monitor", self.env, speaker_hz, prompt=prompt)
        self.user_recorder = MonitorRecorder(MICROPHONE, self.env, prompt=prompt)

    @property
    def variables(self) -> dict[str, str]:
        """Only what differs from the caller's environment."""
        base = str(self._dir)
        return {
            "XDG_RUNTIME_DIR": base,
            "PULSE_RUNTIME_PATH": base,
            "PULSE_STATE_PATH": base,
            "PULSE_CONFIG_PATH": base,
            "PULSE_COOKIE": f"{base}/cookie",
            "PULSE_CLIENTCONFIG": f"{base}/client.conf",
            "PULSE_SERVER": f"unix:{base}/native",
            "ALSA_CONFIG_PATH": f"{base}/asound.conf",
        }

    def __enter__(self) -> VirtualCard:
        try:
            self._start_daemon()
            self.recorder.start()
            self.user_recorder.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop every process of the card, by its own pid, and remove its files."""
        self.recorder.stop()
        self.user_recorder.stop()
        for process in [*self._players, *([self._daemon] if self._daemon else [])]:
            _stop(process)
        shutil.rmtree(self._dir, ignore_errors=True)

    def play(self, wav: Path, *, wait: bool = True) -> subprocess.Popen[bytes]:
        """Speak a WAV file into the microphone; with ``wait`` until it has been played."""
        player = subprocess.Popen(
            [
                *(PROMPT if self._prompt else ()),
                "paplay",
                f"--device={SPEECH_SINK}",
                "--latency-msec=20",
                str(wav),
            ],
            env=self.env,
        )
        self._players.append(player)
        if wait:
            player.wait()
        return player

    def pactl(self, *words: str) -> str:
        """Run ``pactl`` on the card's daemon and return what it printed."""
        return subprocess.run(
            ["pactl", *words],
            env=self.env,
            check=True,
            capture_output=True,
            text=True,
            timeout=_PACTL_TIMEOUT_S,
        ).stdout.strip()

    def kill_recordings(self, rate_hz: int) -> None:
        """End every stream that records at this rate, as a crashing driver does."""
        for line in self.pactl("list", "short", "source-outputs").splitlines():
            if f" {rate_hz}Hz" in line:
                self._control(f"kill-source-output {line.split()[0]}")

    def unplug_speaker(self) -> None:
        """Take the speaker away, as pulling the plug does: its streams die.

        PulseAudio alone would move them to another sink, so they are killed first.
        """
        for line in self.pactl("list", "short", "sink-inputs").splitlines():
            self._control(f"kill-sink-input {line.split()[0]}")
        for line in self.pactl("list", "short", "modules").splitlines():
            number, module, *arguments = line.split("\t")
            if module == "module-null-sink" and f"sink_name={SPEAKER}" in " ".join(arguments):
                self.pactl("unload-module", number)

    def plug_speaker(self) -> None:
        """Bring the speaker back and record it again."""
        self.pactl(
            "load-module", "module-null-sink", f"sink_name={SPEAKER}", f"rate={self.speaker_hz}"
        )
        self.recorder.stop()
        self.recorder.start()

    def _control(self, line: str) -> None:
        """One line to the daemon's own command line, for what ``pactl`` cannot do."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(_PACTL_TIMEOUT_S)
            control.connect(str(self._dir / "control"))
            control.sendall(f"{line}\n".encode())
            control.shutdown(socket.SHUT_WR)
            while control.recv(4096):
                pass

    def _start_daemon(self) -> None:
        script = self._dir / "card.pa"
        script.write_text(
            _DAEMON_SCRIPT.format(
                socket=self._dir / "native",
                control=self._dir / "control",
                speaker_hz=self.speaker_hz,
            )
        )
        (self._dir / "asound.conf").write_text(_ALSA_CONFIG)
        (self._dir / "client.conf").write_text("autospawn = no\nenable-shm = no\n")
        log = (self._dir / "daemon.log").open("wb")
        self._daemon = subprocess.Popen(
            [
                "pulseaudio",
                "-n",
                "-F",
                str(script),
                "--daemonize=no",
                "--exit-idle-time=-1",
                "--use-pid-file=no",
                "--disable-shm=yes",
                "--realtime=no",
                f"--high-priority={'yes' if self._prompt else 'no'}",
            ],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()
        self._wait_for_daemon()

    def _wait_for_daemon(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._daemon is None or self._daemon.poll() is not None:
                break
            try:
                if MICROPHONE in self.pactl("list", "short", "sources"):
                    return
            except subprocess.SubprocessError:
                time.sleep(0.05)  # The daemon gives no other sign that its socket is up.
        raise RuntimeError("PulseAudio did not start: " + (self._dir / "daemon.log").read_text())


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(arguments: list[str]) -> int:
    """Run a command on a fresh card; its exit status is ours."""
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments:
        print("usage: python -m bench.soundcard.virtual_card -- COMMAND...", file=sys.stderr)
        return 2
    if missing := missing_programs():
        print(f"missing: {', '.join(missing)} (Debian: pulseaudio-utils)", file=sys.stderr)
        return 1
    with VirtualCard() as card:
        process = subprocess.Popen(arguments, env=card.env)
        try:
            return process.wait()
        except KeyboardInterrupt:  # The command got the same Ctrl-C: let it end by itself.
            return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
