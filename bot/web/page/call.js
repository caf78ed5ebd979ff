// One WebRTC call to this server: microphone up, the bot's voice down, RTVI messages beside.

const CONNECT_DEADLINE_MS = 15_000;
const GATHER_DEADLINE_MS = 2_000;
const PING_MS = 1_000; // the server takes 3 s without one for a lost page
const LEVEL_MS = 100;
const RTVI = { label: "rtvi-ai", version: "2.2.0" };

const REASONS = {
  NotAllowedError: "The browser refused the microphone: allow it for this page and try again.",
  NotFoundError: "This machine has no microphone.",
  NotReadableError: "Another program holds the microphone.",
};

export class Call {
  #on;
  #peer = null;
  #channel = null;
  #microphone = null;
  #context = null;
  #timers = [];
  #ended = false;

  // Handlers: onStream(stream), onMessage(type, data), onLevels(mine, theirs), onConnected(),
  // onTalkKey(wanted): whether the bot hears only while the talk key is held,
  // onEnded(reason), called once; the reason is text for the user, or undefined after close().
  constructor(handlers) {
    this.#on = handlers;
  }

  async open() {
    try {
      if (!navigator.mediaDevices) {
        throw new Error("Browsers give the microphone to https pages and to localhost only.");
      }
      const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
      this.#microphone = await navigator.mediaDevices.getUserMedia({ audio });
      if (this.#ended) return this.#release();
      await this.#dial();
    } catch (error) {
      this.#end(REASONS[error.name] ?? error.message);
    }
  }

  close() {
    this.#end();
  }

  // The talk key, for a bot that hears only while it is held.
  talk(down) {
    this.#send("client-message", { t: "talk-key", d: down });
  }

  // Returns whether the microphone is now muted.
  toggleMute() {
    const [track] = this.#microphone?.getAudioTracks() ?? [];
    if (track) track.enabled = !track.enabled;
    return track ? !track.enabled : false;
  }

  async #dial() {
    const { iceConfig, talkKey } = await post("start", {});
    this.#on.onTalkKey(Boolean(talkKey));
    const peer = (this.#peer = new RTCPeerConnection(iceConfig));
    const track = this.#microphone.getAudioTracks()[0];
    peer.addTransceiver(track, { direction: "sendrecv", streams: [this.#microphone] });
    // The server looks for a camera and a screen too; these lines say that there is none.
    peer.addTransceiver("video", { direction: "inactive" });
    peer.addTransceiver("video", { direction: "inactive" });
    this.#openChannel(peer.createDataChannel("rtvi", { ordered: true }));
    peer.addEventListener("track", ({ track, streams }) => this.#take(track, streams));
    peer.addEventListener("connectionstatechange", () => this.#follow(peer.connectionState));
    this.#after(CONNECT_DEADLINE_MS, () => {
      if (peer.connectionState !== "connected") {
        this.#end("No connection within 15 seconds: the network between this page and the bot " +
          "lets no audio through (set web.ice_servers to a STUN or TURN server).");
      }
    });
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    const { sdp, type } = peer.localDescription;
    const answer = await post("api/offer", { sdp, type });
    if (!this.#ended) await peer.setRemoteDescription({ sdp: answer.sdp, type: answer.type });
  }

  #take(track, streams) {
    if (track.kind !== "audio") return;
    const stream = streams[0] ?? new MediaStream([track]);
    this.#on.onStream(stream);
    this.#measure(stream);
  }

  #send(type, data) {
    if (this.#channel?.readyState !== "open") return;
    const message = { label: RTVI.label, type, id: crypto.randomUUID(), data };
    this.#channel.send(JSON.stringify(message));
  }

  #openChannel(channel) {
    this.#channel = channel;
    channel.addEventListener("open", () => {
      this.#send("client-ready", { version: RTVI.version, about: { library: "earshot-page" } });
      this.#every(PING_MS, () => channel.readyState === "open" && channel.send("ping"));
    });
    channel.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.label === RTVI.label) this.#on.onMessage(message.type, message.data);
      if (message.message?.type === "peerLeft") this.#end("The bot has left.");
    });
  }

  #follow(state) {
    if (state === "connected") this.#on.onConnected();
    if (state === "failed" || state === "closed") this.#end("The connection to the bot was lost.");
  }

  #measure(stream) {
    this.#context = new AudioContext();
    const levels = [this.#microphone, stream].map((source) => levelOf(this.#context, source));
    this.#every(LEVEL_MS, () => this.#on.onLevels(levels[0](), levels[1]()));
  }

  #after(ms, action) {
    const timer = setTimeout(action, ms);
    this.#timers.push(() => clearTimeout(timer));
  }

  #every(ms, action) {
    const timer = setInterval(action, ms);
    this.#timers.push(() => clearInterval(timer));
  }

  #end(reason) {
    if (this.#ended) return;
    this.#ended = true;
    this.#release();
    this.#on.onEnded(reason);
  }

  #release() {
    this.#timers.forEach((stop) => stop());
    this.#microphone?.getTracks().forEach((track) => track.stop());
    this.#peer?.close();
    this.#context?.close();
  }
}

async function post(path, body) {
  let reply;
  try {
    reply = await fetch(`/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The bot does not answer: is earshot web still running?");
  }
  const answer = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(answer.detail ?? `The bot refused (${reply.status}).`);
  return answer;
}

function gathered(peer) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((done) => {
    setTimeout(done, GATHER_DEADLINE_MS);
    peer.addEventListener("icegatheringstatechange", () => {
      if (peer.iceGatheringState === "complete") done();
    });
  });
}

// A function that gives the stream's level now: root mean square, 0 to 1.
function levelOf(context, stream) {
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return () => {
    analyser.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
  };
}
