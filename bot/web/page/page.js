// The page: one button, two levels, a transcript. It talks to this server only.
import { Call } from "./call.js";

const element = (id) => document.getElementById(id);
const [status, connect, mute, talk, tap, audio, transcript] =
  ["status", "connect", "mute", "talk", "tap", "audio", "transcript"].map(element);

const SAYS = {
  idle: "Press Connect and speak.",
  connecting: "Connecting…",
  listening: "Listening.",
  hearing: "You are speaking.",
  thinking: "The bot is thinking.",
  speaking: "The bot is speaking.",
};

let call = null;
let botLine = null;
let voice = false; // the user's voice is heard just now
let understood = false; // words of the user are not answered yet

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
  "user-transcription": (data) => data.final && take(data.text),
  "user-started-speaking": () => { understood = false; show("hearing"); },
  "user-stopped-speaking": () => { voice = false; settle(); },
  // The voice itself: a turn lasts longer, until it is sure that nothing more comes.
  "vad-user-started-speaking": () => { voice = true; settle(); },
  "vad-user-stopped-speaking": () => { voice = false; settle(); },
  "bot-started-speaking": () => { understood = false; show("speaking"); },
  "bot-stopped-speaking": () => { botLine = null; settle({ botIsDone: true }); },
  "bot-tts-text": (data) => addWord(data.text),
  "bot-interrupted": () => botLine?.classList.add("cut"),
};

function take(text) {
  addLine("You", text);
  understood = true;
  settle();
}

// A sound while the bot speaks is no turn yet; without one the bot thinks, or listens.
function settle({ botIsDone = false } = {}) {
  if (status.dataset.state === "speaking" && !botIsDone) return;
  show(voice ? "hearing" : understood ? "thinking" : "listening");
}

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
  voice = understood = false;
  audio.srcObject = null;
  tap.hidden = talk.hidden = true;
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
    onTalkKey: (wanted) => { talk.hidden = !wanted; },
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
// A button, so the space bar holds it too; a finger that slides off has let it go.
function hold(down) {
  if (talk.hidden || down === (talk.getAttribute("aria-pressed") === "true")) return;
  talk.setAttribute("aria-pressed", String(down));
  call?.talk(down);
}
talk.addEventListener("pointerdown", () => hold(true));
for (const over of ["pointerup", "pointerleave", "pointercancel", "blur"]) {
  talk.addEventListener(over, () => hold(false));
}
talk.addEventListener("keydown", ({ key }) => (key === " " || key === "Enter") && hold(true));
talk.addEventListener("keyup", ({ key }) => (key === " " || key === "Enter") && hold(false));
tap.addEventListener("click", () => play(audio.srcObject));
window.addEventListener("pagehide", () => call?.close());
