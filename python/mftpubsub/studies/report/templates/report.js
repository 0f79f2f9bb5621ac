"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const controls = document.querySelector(".controls");
controls.hidden = false;

// Filters: whatever is of one protocol is shown with it.
const boxes = all("input", controls);
function filter() {
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  for (const element of all("[data-protocol]")) {
    element.toggleAttribute("hidden", !shown.has(element.dataset.protocol));
  }
}
boxes.forEach((box) => box.addEventListener("change", filter));
filter();

controls.querySelector("select").addEventListener("change", (event) => {
  document.documentElement.dataset.colours = event.target.value;
});

// Values under the pointer.
const tip = document.getElementById("tip");
document.addEventListener("pointermove", (event) => {
  const text = event.target instanceof Element ? event.target.dataset?.text : "";
  tip.hidden = !text;
  if (text) {
    tip.textContent = text;
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  }
});

// A figure in the whole window: the wheel zooms, dragging moves, by the drawing's view box.
const dialog = document.querySelector("dialog");
const stage = dialog.querySelector("div");
for (const button of all(".closer")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    stage.replaceChildren(button.closest("figure").querySelector("svg").cloneNode(true));
    stage.append(tip);
    dialog.showModal();
  });
}
dialog.addEventListener("close", () => document.body.append(tip));

function zoom(svg, factor, x, y) {
  const box = svg.viewBox.baseVal;
  const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  svg.setAttribute("viewBox", [at.x - (at.x - box.x) * factor, at.y - (at.y - box.y) * factor,
    box.width * factor, box.height * factor].join(" "));
}
stage.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(stage.querySelector("svg"), event.deltaY < 0 ? 0.85 : 1 / 0.85, event.clientX, event.clientY);
}, { passive: false });
stage.addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  const svg = stage.querySelector("svg");
  const box = svg.viewBox.baseVal;
  const scale = svg.getScreenCTM().a;
  svg.setAttribute("viewBox", [box.x - event.movementX / scale, box.y - event.movementY / scale,
    box.width, box.height].join(" "));
});
