// What is shown now: the one state that all parts of the page draw, and the address of an instant.

import type { EventId, Run } from "./run";

export type LinkStyle = "none" | "reach" | "quality";

export interface State {
  time: number;
  /** Simulated seconds a second. */
  speed: number;
  isPlaying: boolean;
  /** The frame that stepping has come to, in `run`; -1: none. */
  frame: number;
  /** The run that is stepped through. */
  run: number;
  node: number;
  event: EventId | null;
  links: LinkStyle;
  /** Frames of these kinds are not shown. */
  hidden: Set<string>;
  /** Only frames to, from or for the selected node. */
  onlyNode: boolean;
  theme: "light" | "dark";
  tab: string;
}

export const SPEEDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 2, 5, 10, 20, 50, 100];

export function initialState(): State {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return {
    time: 0,
    speed: 1,
    isPlaying: false,
    frame: -1,
    run: 0,
    node: -1,
    event: null,
    links: "reach",
    hidden: new Set(),
    onlyNode: false,
    theme: isDark ? "dark" : "light",
    tab: "guide",
  };
}

/** What a node is called in an address: as the first run that has it calls it. */
function nameOf(node: number, runs: Run[]): string {
  return runs.find((run) => node < run.nodes)!.name(node);
}

export function toHash(state: State, runs: Run[]): string {
  const parts = new URLSearchParams();
  parts.set("t", String(Number(state.time.toFixed(6))));
  if (state.speed !== 1) parts.set("speed", String(state.speed));
  if (state.node >= 0) parts.set("node", nameOf(state.node, runs));
  if (state.event) parts.set("event", `${nameOf(state.event.publisher, runs)}.${state.event.sequence}`);
  if (state.hidden.size) parts.set("hide", [...state.hidden].join(","));
  if (state.onlyNode) parts.set("only", "node");
  if (state.links !== "reach") parts.set("links", state.links);
  parts.set("tab", state.tab);
  return parts.toString();
}

/** What the tabs of the side panel are called in an address. */
export const TABS = ["guide", "node", "event", "run"];

/** Takes what an address says of `runs`; gives sentences on what of it is not there. */
export function fromHash(hash: string, state: State, runs: Run[]): string[] {
  const wrong: string[] = [];
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string, otherwise: number): number => {
    const text = parts.get(name);
    const value = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(value) ? value : otherwise;
  };
  state.time = number("t", state.time);
  state.speed = Math.max(1e-4, number("speed", state.speed));
  state.hidden = new Set((parts.get("hide") ?? "").split(",").filter(Boolean));
  state.onlyNode = parts.get("only") === "node";
  const links = parts.get("links");
  if (links === "none" || links === "quality" || links === "reach") state.links = links;
  const tab = parts.get("tab") ?? state.tab;
  if (TABS.includes(tab)) state.tab = tab;
  else wrong.push(`There is no tab “${tab}”: they are ${TABS.join(", ")}.`);
  const event = parts.get("event");
  state.event = event ? findEvent(event, runs) : null;
  if (event && !state.event) {
    const isOne = /^.+\.\d+$/.test(event);
    wrong.push(isOne ? `There is no event ${event} in what is shown.` : `“${event}” is no event: it is publisher.sequence, such as 3.17.`);
  }
  const node = parts.get("node");
  state.node = node ? (runs.map((run) => run.nodeOf(node)).find((one) => one >= 0) ?? -1) : -1;
  if (node && state.node < 0) wrong.push(`There is no node ${node} in what is shown.`);
  return wrong;
}

function findEvent(text: string, runs: Run[]): EventId | null {
  for (const run of runs) {
    const event = run.eventOf(text);
    if (event && run.findEvent(event.publisher, event.sequence) >= 0) return event;
  }
  return null;
}
