// What is shown now: the one state that all parts of the page draw, and the address of an instant.

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
  /** Publisher and sequence of an event, or none. */
  event: { publisher: number; sequence: number } | null;
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

export function toHash(state: State): string {
  const parts = new URLSearchParams();
  parts.set("t", String(Number(state.time.toFixed(6))));
  if (state.speed !== 1) parts.set("speed", String(state.speed));
  if (state.node >= 0) parts.set("node", String(state.node));
  if (state.event) parts.set("event", `${state.event.publisher}.${state.event.sequence}`);
  if (state.hidden.size) parts.set("hide", [...state.hidden].join(","));
  if (state.onlyNode) parts.set("only", "node");
  if (state.links !== "reach") parts.set("links", state.links);
  parts.set("tab", state.tab);
  return parts.toString();
}

/** What the tabs of the side panel are called in an address. */
export const TABS = ["guide", "node", "event", "run"];

/** Takes what an address says; gives sentences on what of it nothing can be made of. */
export function fromHash(hash: string, state: State): string[] {
  const wrong: string[] = [];
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string, otherwise: number): number => {
    const text = parts.get(name);
    const value = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(value) ? value : otherwise;
  };
  state.time = number("t", state.time);
  state.speed = Math.max(1e-4, number("speed", state.speed));
  state.node = number("node", -1);
  const event = /^(\d+)\.(\d+)$/.exec(parts.get("event") ?? "");
  state.event = event ? { publisher: Number(event[1]), sequence: Number(event[2]) } : null;
  if (!event && parts.get("event")) wrong.push(`“${parts.get("event")}” is no event: it is publisher.sequence, such as 3.17.`);
  state.hidden = new Set((parts.get("hide") ?? "").split(",").filter(Boolean));
  state.onlyNode = parts.get("only") === "node";
  const links = parts.get("links");
  if (links === "none" || links === "quality" || links === "reach") state.links = links;
  const tab = parts.get("tab") ?? state.tab;
  if (TABS.includes(tab)) state.tab = tab;
  else wrong.push(`There is no tab “${tab}”: they are ${TABS.join(", ")}.`);
  return wrong;
}
