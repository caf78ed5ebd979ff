"use strict";
(() => {
  const stage = document.getElementById("stage");
  const scroller = document.getElementById("scroller");
  const audio = document.getElementById("audio");
  const playhead = document.getElementById("playhead");
  const tip = document.getElementById("tip");
  const duration = Number(stage.dataset.duration) || 1;
  const zoomButtons = [...document.querySelectorAll("#zoom button")];

  function zoom(factor, centre) {
    stage.style.setProperty("--zoom", factor);
    for (const button of zoomButtons) button.classList.toggle("on", Number(button.dataset.zoom) === factor);
    if (centre !== undefined) scroller.scrollLeft = centre / duration * stage.offsetWidth - scroller.offsetWidth / 2;
  }

  for (const button of zoomButtons) {
    button.addEventListener("click", () => {
      const centre = (scroller.scrollLeft + scroller.offsetWidth / 2) / stage.offsetWidth * duration;
      zoom(Number(button.dataset.zoom), centre);
    });
  }

  // A click on a turn's bar shows that turn, large.
  const speechEnds = JSON.parse(document.body.dataset.speechEnds || "[]");
  for (const row of document.querySelectorAll(".wait")) {
    row.addEventListener("click", () => {
      const end = speechEnds[Number(row.dataset.turn) - 1];
      if (end === undefined) return;
      zoom(Math.max(1, Math.min(40, Math.round(duration / 5))), end + 1);
      scroller.scrollIntoView({ behavior: "smooth", block: "center" });
    });
  }

  // Hovering a stage in the legend lights up its marks.
  for (const item of document.querySelectorAll(".legend.stages li")) {
    const lit = (on) => {
      stage.classList.toggle("dim", on);
      for (const mark of stage.querySelectorAll(".mark")) {
        mark.classList.toggle("lit", on && mark.dataset.stage === item.dataset.stage);
      }
    };
    item.addEventListener("mouseenter", () => lit(true));
    item.addEventListener("mouseleave", () => lit(false));
  }

  stage.addEventListener("mousemove", (event) => {
    const mark = event.target.closest(".mark");
    const at = (event.clientX - stage.getBoundingClientRect().left) / stage.offsetWidth * duration;
    tip.textContent = mark ? mark.dataset.tip : at.toFixed(2) + " s";
    tip.hidden = false;
    tip.style.left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 16 + "px";
  });
  stage.addEventListener("mouseleave", () => { tip.hidden = true; });

  stage.addEventListener("click", (event) => {
    const at = (event.clientX - stage.getBoundingClientRect().left) / stage.offsetWidth * duration;
    const go = () => { audio.currentTime = at; audio.play().catch(() => {}); };
    if (audio.readyState > 0) return go();
    audio.addEventListener("loadedmetadata", go, { once: true });
    audio.load();
  });
  audio.addEventListener("error", () => {
    document.getElementById("audio-hint").textContent = "mix.wav is not beside this page, so it cannot be played here.";
  });
  const follow = () => {
    playhead.hidden = false;
    playhead.style.left = 100 * audio.currentTime / duration + "%";
    if (!audio.paused) requestAnimationFrame(follow);
  };
  audio.addEventListener("play", follow);
  audio.addEventListener("seeked", follow);
})();
