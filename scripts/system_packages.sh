#!/usr/bin/env bash
# Says which system packages are missing for a purpose, and installs them when asked to.
# Usage: scripts/system_packages.sh run|test [--install]
set -euo pipefail
purpose="${1:-run}"
install="${2:-}"

missing=()
need() { missing+=("$1"); }

# PortAudio is the sound card; without it `make run` serves the page.
# Output is kept first: grep -q leaves at its first hit, and whoever then still writes to it
# fails, which under pipefail reads as "not found". ldconfig is not on everybody's PATH.
libraries="$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null || true)"
grep -q libportaudio.so.2 <<<"$libraries" || need libportaudio2
if [ "$purpose" = test ]; then
  command -v pulseaudio >/dev/null || need pulseaudio
  command -v parec >/dev/null || need pulseaudio-utils
  command -v aplay >/dev/null || need alsa-utils
  [ -n "$(find /usr/lib -name 'libasound_module_pcm_pulse.so' -print -quit 2>/dev/null)" ] || need libasound2-plugins
  command -v chromium >/dev/null || need chromium
  [ -d /usr/share/asterisk/sounds/en_US_f_Allison ] || need asterisk-core-sounds-en-wav
fi
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "earshot: missing system packages (Debian names): ${missing[*]}" >&2
  echo "earshot: on macOS PortAudio comes with the Python package; on Fedora: dnf install portaudio" >&2
  exit 0
fi
if [ "$install" != --install ]; then
  echo "earshot: for the sound card install: sudo apt-get install ${missing[*]}" >&2
  exit 0
fi

sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
for n in 1 2 3; do
  if $sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    exit 0
  fi
  echo "earshot: apt-get try $n of 3 failed" >&2
  sleep $((n * 5))
done
exit 1
