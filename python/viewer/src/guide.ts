// The legend, which is also where one chooses what is shown.

import { h } from "./elements";
import { classOf, FRAME_CLASSES, PALETTES, ROLE_LOOKS, trace, traceLoss } from "./looks";
import type { Run } from "./run";
import type { State } from "./state";

/** What the signs mean, and what is shown of them. */
export function guide(runs: Run[], state: State, change: (part: Partial<State>) => void): HTMLElement[] {
  const letters = new Set(runs.flatMap((run) => run.told.roles));
  const nodes = Object.entries(ROLE_LOOKS).filter(([name]) => letters.has(name));
  const signs: [string, string][] = [
    ["ring", "leader: the broker that its part of the network follows"],
    ["tree", "tree: from a broker to its parent"],
    ["client", "a client and its broker"],
    ["broken", "a parent that is out of reach by now"],
    ["queue", "events that a broker holds, until whom they are for has them"],
    ["part", "parts of the network that cannot reach each other"],
    ["received", "received a frame"],
    ["interference", "lost it: interference"],
    ["notReceiving", "lost it: the radio was sending, or switched away"],
    ["bitError", "lost it: bit errors of a weak signal"],
  ];
  if (runs.some((run) => run.faultTime.length)) {
    signs.push(["down", "a node that is down: crashed, away, asleep, or out of power"]);
    signs.push(["fault", "in the timeline: something has failed or is cut off"]);
  }
  if (runs.some((run) => run.told.walls?.length)) signs.push(["wall", "a wall, which weakens signals"]);
  if (runs.some((run) => run.hasHeights)) signs.push(["height", "how high a node is, m; links and frames are seen from above"]);
  return [
    h("h2", {}, "Nodes"),
    h("ul", { class: "legend" }, ...nodes.map(([, look]) => h("li", {}, nodeSign(look.shape, look.fill), look.name))),
    h("h2", {}, "Signs"),
    h("ul", { class: "legend" }, ...signs.map(([name, text]) => h("li", {}, drawnSign(name, state.theme), text))),
    h("h2", {}, "Frames on the air"),
    kindBoxes(runs, state, change),
    h("h2", {}, "Links"),
    linkStyles(state, change),
    h("h2", {}, "Keys"),
    keys(),
  ];
}

function kindBoxes(runs: Run[], state: State, change: (part: Partial<State>) => void): HTMLElement {
  const kinds = [...new Set(runs.flatMap((run) => run.told.kinds))];
  const toggle = (names: string[], isShown: boolean): void => {
    const hidden = new Set(state.hidden);
    for (const name of names) {
      if (isShown) hidden.delete(name);
      else hidden.add(name);
    }
    change({ hidden });
  };
  const lines = FRAME_CLASSES.map((sort, i) => {
    const mine = kinds.filter((kind) => classOf(kind) === i);
    if (!mine.length) return null;
    const boxes = mine.map((kind) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          checked: !state.hidden.has(kind),
          change: (event) => toggle([kind], (event.target as HTMLInputElement).checked),
        }),
        kind,
      ),
    );
    const dot = h("span", { class: "dot", style: `background:${sort.colours[state.theme]}` });
    return h("li", {}, dot, h("span", { class: "sort" }, sort.name), h("span", { class: "boxes" }, ...boxes), sort.note ? h("span", { class: "aside" }, sort.note) : null);
  });
  const only = h(
    "label",
    {},
    h("input", {
      type: "checkbox",
      checked: state.onlyNode,
      change: (event) => change({ onlyNode: (event.target as HTMLInputElement).checked }),
    }),
    "only frames that the chosen node sends, is sent, or hears",
  );
  return h(
    "div",
    {},
    h("ul", { class: "kinds" }, ...lines),
    h("p", {}, h("button", { click: () => toggle(kinds, true) }, "all"), " ", h("button", { click: () => toggle(kinds, false) }, "none")),
    h("p", {}, only),
  );
}

function linkStyles(state: State, change: (part: Partial<State>) => void): HTMLElement {
  const styles: [State["links"], string][] = [
    ["reach", "in reach of each other"],
    ["quality", "measured: the share of frames received within 10 s"],
    ["none", "none"],
  ];
  const inputs = styles.map(([value, text]) =>
    h(
      "li",
      {},
      h(
        "label",
        {},
        h("input", { type: "radio", name: "links", checked: state.links === value, change: () => change({ links: value }) }),
        text,
      ),
    ),
  );
  return h("ul", { class: "legend" }, ...inputs);
}

function keys(): HTMLElement {
  const known: [string, string][] = [
    ["Space", "play, pause"],
    ["← →", "1 s; with Shift 10 s"],
    [", .", "the frame before, the next frame"],
    ["[ ]", "slower, faster"],
    ["N P L", "next event, event before, next lost event"],
    ["+ − 0", "zoom; the whole field"],
    ["K", "links: in reach, measured, none"],
    ["D", "dark, light"],
    ["Esc", "choose nothing"],
  ];
  return h("table", { class: "keys" }, h("tbody", {}, ...known.map(([key, text]) => h("tr", {}, h("th", {}, h("kbd", {}, key)), h("td", {}, text)))));
}

function sign(paint: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const canvas = h("canvas", { width: "56", height: "36", class: "sign", "aria-hidden": "true" });
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  paint(context);
  return canvas;
}

function nodeSign(shape: Parameters<typeof trace>[1], fill: string): HTMLCanvasElement {
  return sign((context) => {
    context.fillStyle = fill;
    context.beginPath();
    trace(context, shape, 14, 9, 7);
    context.fill();
  });
}

function drawnSign(name: string, theme: State["theme"]): HTMLCanvasElement {
  const palette = PALETTES[theme];
  const line = (context: CanvasRenderingContext2D, colour: string, width: number, dash: number[]): void => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(2, 9);
    context.lineTo(26, 9);
    context.stroke();
  };
  const loss = (context: CanvasRenderingContext2D, heard: number): void => {
    context.strokeStyle = palette.lost;
    context.lineWidth = 2.4;
    context.beginPath();
    traceLoss(context, heard, 14, 9, 6);
    context.stroke();
  };
  const circle = (context: CanvasRenderingContext2D, colour: string, width: number): void => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.arc(14, 9, 7, 0, 2 * Math.PI);
    context.stroke();
  };
  const paints: Record<string, (context: CanvasRenderingContext2D) => void> = {
    ring: (context) => circle(context, palette.ink, 2.2),
    tree: (context) => line(context, palette.tree, 3, []),
    client: (context) => line(context, palette.client, 1.3, [2, 3]),
    broken: (context) => line(context, palette.broken, 2, [6, 4]),
    queue: (context) => {
      context.fillStyle = palette.select;
      context.fillRect(11, 3, 5, 13);
    },
    down: (context) => {
      context.strokeStyle = ROLE_LOOKS.B!.fill;
      context.lineWidth = 1.6;
      context.beginPath();
      trace(context, "square", 14, 9, 7);
      context.stroke();
    },
    fault: (context) => {
      context.globalAlpha = 0.5;
      line(context, palette.lost, 4, []);
    },
    wall: (context) => line(context, palette.faint, 3, []),
    height: (context) => {
      context.font = "10px system-ui, sans-serif";
      context.fillStyle = palette.ink;
      context.fillText("m up", 1, 13);
    },
    part: (context) => {
      context.fillStyle = palette.parts[0]!;
      context.fillRect(1, 2, 12, 14);
      context.fillStyle = palette.parts[1]!;
      context.fillRect(15, 2, 12, 14);
    },
    received: (context) => circle(context, FRAME_CLASSES[0]!.colours[theme], 2),
    interference: (context) => loss(context, 4),
    notReceiving: (context) => loss(context, 5),
    bitError: (context) => loss(context, 3),
  };
  return sign(paints[name]!);
}
