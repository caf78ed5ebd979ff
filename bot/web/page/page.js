// The page: one button, two levels, a transcript. It talks to this server only.
import { Call } from "./call.js";

const element = (id) => document.getElementById(id);
const [status, connect, mute, tap, audio, transcript] =
  ["status", "connect", "mute", "tap", "audio", "transcript"].map(element);

const SAYS = {
  idle: "Press Connect and speak.",
  connecting: "Connecting…",
  listening: "Listening.",
  hearing: "You are speaking.",
  speaking: "The bot is speaking.",
};

let call = null;
let botLine = null;

function show(state, text) {
  status.dataset.state = state;
  status.textContent = text ?? SAYS[state];
  connect.textContent = call ? "Disconnect" : "Connect";
  mute.disabled = !call;
}

function addLine(who, text) {
  const line = document.createElement("li");
  line.dataset.who = who;
  line.textContent = text;
  transcript.append(line);
  line.scrollIntoView({ block: "end" });
  return line;
}

// Words of the bot come one by one, as they pass the speaker: what is shown was heard.
function addWord(text) {
  botLine ??= addLine("Bot", "");
  botLine.textContent += (botLine.textContent && !/^[\s.,!?;:]/.test(text) ? " " : "") + text;
}

const ON_MESSAGE = {
  "user-transcription": (data) => data.final && addLine("You", data.text),
  "user-started-speaking": () => show("hearing"),
  "user-stopped-speaking": () => show("listening"),
  "bot-started-speaking": () => show("speaking"),
  "bot-stopped-speaking": () => { botLine = null; show("listening"); },
  "bot-tts-text": (data) => addWord(data.text),
  "bot-interrupted": () => botLine?.classList.add("cut"),
};

async function play(stream) {
  audio.srcObject = stream;
  try {
    await audio.play();
    tap.hidden = true;
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
    tap.hidden = false;
  }
}

function ended(reason) {
  call = null;
  botLine = null;
  audio.srcObject = null;
  tap.hidden = true;
  mute.setAttribute("aria-pressed", "false");
  element("mine").value = element("theirs").value = 0;
  show(reason ? "failed" : "idle", reason);
}

async function start() {
  transcript.replaceChildren();
  const mine = new Call({
    onStream: play,
    onMessage: (type, data) => ON_MESSAGE[type]?.(data ?? {}),
    onLevels: (me, bot) => { element("mine").value = me; element("theirs").value = bot; },
    onConnected: () => show("listening"),
    onEnded: (reason) => mine === call && ended(reason),
  });
  call = mine;
  show("connecting");
  await mine.open();
}

connect.addEventListener("click", () => (call ? call.close() : start()));
mute.addEventListener("click", () => {
  const muted = call.toggleMute();
  mute.setAttribute("aria-pressed", String(muted));
  mute.textContent = muted ? "Unmute" : "Mute";
});
tap.addEventListener("click", () => play(audio.srcObject));
window.addEventListener("pagehide", () => call?.close());
