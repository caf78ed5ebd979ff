// Put into the page before its own scripts: keeps what the page is given to hear.
// window.ears.calls has one entry per remote audio track: its peak level, when it last gave a
// sound, whether the track has ended, and the sound itself, recorded by the browser.
(() => {
  const calls = [];
  window.ears = {
    calls,
    // The recorded sound of a call so far, as base64 of a webm file.
    async sound(index) {
      const bytes = new Uint8Array(await new Blob(calls[index].pieces).arrayBuffer());
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    },
  };
  const Native = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener("track", ({ track }) => {
        if (track.kind !== "audio") return;
        const call = {
          peak: 0,
          loudAt: performance.now(),
          pieces: [],
          get ended() { return track.readyState === "ended"; },
        };
        calls.push(call);
        const stream = new MediaStream([track]);
        const recorder = new MediaRecorder(stream, { mimeType: "audio/webm;codecs=opus" });
        recorder.addEventListener("dataavailable", ({ data }) => call.pieces.push(data));
        recorder.start(200);
        const context = new AudioContext();
        const analyser = context.createAnalyser();
        context.createMediaStreamSource(stream).connect(analyser);
        const samples = new Float32Array(analyser.fftSize);
        setInterval(() => {
          analyser.getFloatTimeDomainData(samples);
          const level = Math.max(...samples.map(Math.abs));
          call.peak = Math.max(call.peak, level);
          if (level > 0.01) call.loudAt = performance.now();
        }, 50);
      });
    }
  };
})();
