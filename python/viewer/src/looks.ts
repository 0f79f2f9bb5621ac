// Colours and signs: Okabe and Ito's colours, which the colour-blind tell apart, and a sign beside each.

/** Around a field and above it, px. */
export const MARGIN = 46;
const CAPTION = 28;
/** A row of panels on a narrow screen, at least (viewer.css). */
const NARROW_ROW = 180;

export interface Palette {
  ground: string;
  ink: string;
  faint: string;
  grid: string;
  link: string;
  tree: string;
  client: string;
  broken: string;
  halo: string;
  select: string;
  lost: string;
  parts: string[];
}

export const PALETTES: Record<"light" | "dark", Palette> = {
  light: {
    ground: "#fbfcfe",
    ink: "#16202e",
    faint: "#66758a",
    grid: "#e3e8ef",
    link: "#8795a8",
    tree: "#0072B2",
    client: "#4c5a6d",
    broken: "#D55E00",
    halo: "#fbfcfe",
    select: "#e69f00",
    lost: "#c8102e",
    parts: ["#cfe3f5", "#fde7c3", "#d3efe3", "#f3dbe8", "#e4e0f4", "#eceec9"],
  },
  dark: {
    ground: "#10161f",
    ink: "#e8eef6",
    faint: "#93a3b8",
    grid: "#1e2835",
    link: "#66788f",
    tree: "#4aa8e0",
    client: "#a5b4c6",
    broken: "#ff8a3d",
    halo: "#10161f",
    select: "#ffc04d",
    lost: "#ff6b6b",
    parts: ["#16344d", "#41331a", "#15402f", "#402337", "#2d2850", "#393a17"],
  },
};

export type Shape = "square" | "circle" | "triangle" | "pentagon" | "diamond" | "hexagon" | "star" | "cross";

export interface Look {
  shape: Shape;
  fill: string;
  text: string;
  name: string;
}

/** By a node's roles, as in the pictures that Python draws. */
export const ROLE_LOOKS: Record<string, Look> = {
  B: { shape: "square", fill: "#0072B2", text: "#fff", name: "broker" },
  S: { shape: "circle", fill: "#009E73", text: "#fff", name: "subscriber" },
  P: { shape: "triangle", fill: "#D55E00", text: "#fff", name: "publisher" },
  BS: { shape: "pentagon", fill: "#56B4E9", text: "#0b1520", name: "broker, subscriber" },
  BP: { shape: "diamond", fill: "#CC79A7", text: "#0b1520", name: "broker, publisher" },
  SP: { shape: "hexagon", fill: "#E69F00", text: "#0b1520", name: "subscriber, publisher" },
  BSP: { shape: "star", fill: "#3b4657", text: "#fff", name: "broker, subscriber, publisher" },
  R: { shape: "cross", fill: "#9aa5b1", text: "#0b1520", name: "router" },
};

export interface FrameClass {
  name: string;
  kinds: string[];
  colours: { light: string; dark: string };
  /** What its name does not say. */
  note?: string;
}

/** Kinds of frames of one sort; what is not named here is control. */
export const FRAME_CLASSES: FrameClass[] = [
  { name: "events", kinds: ["PUB", "DATA"], colours: { light: "#0072B2", dark: "#4aa8e0" } },
  { name: "replays", kinds: ["REP"], colours: { light: "#A64D82", dark: "#e08fbf" } },
  { name: "control", kinds: [], colours: { light: "#C77F00", dark: "#f0b440" } },
  { name: "routing", kinds: ["RREQ", "RREP", "RREP_ACK", "RERR", "ARP"], colours: { light: "#D55E00", dark: "#ff8a3d" } },
  { name: "heartbeats", kinds: ["HEARTBEAT", "HELLO"], colours: { light: "#7d8896", dark: "#8b99ab" } },
  {
    name: "acknowledgements",
    kinds: ["ACK", "ASK"],
    colours: { light: "#00805d", dark: "#33c79b" },
    note: "ACK: frames have arrived. ASK: have they? What the MAC of Wi-Fi or 802.15.4 acknowledges by itself is not shown.",
  },
];
const CONTROL = 2;

export function classOf(kind: string): number {
  const found = FRAME_CLASSES.findIndex((one) => one.kinds.includes(kind));
  return found < 0 ? CONTROL : found;
}

/** Adds the outline of a shape around (x, y). */
export function trace(context: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  if (shape === "circle") {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  if (shape === "square") {
    context.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
    return;
  }
  if (shape === "cross") {
    const a = 0.45 * r;
    const steps = [[-a, -r], [a, -r], [a, -a], [r, -a], [r, a], [a, a], [a, r], [-a, r], [-a, a], [-r, a], [-r, -a], [-a, -a]];
    steps.forEach(([dx, dy], i) => (i ? context.lineTo(x + dx!, y + dy!) : context.moveTo(x + dx!, y + dy!)));
    context.closePath();
    return;
  }
  const corners = { triangle: 3, diamond: 4, pentagon: 5, hexagon: 6, star: 10 }[shape];
  for (let i = 0; i < corners; i++) {
    const reach = shape === "star" && i % 2 ? 0.62 * r : shape === "triangle" ? 1.25 * r : 1.1 * r;
    const angle = -Math.PI / 2 + (2 * Math.PI * i) / corners;
    const px = x + reach * Math.cos(angle);
    const py = y + (shape === "triangle" ? 0.18 * r : 0) + reach * Math.sin(angle);
    if (i) context.lineTo(px, py);
    else context.moveTo(px, py);
  }
  context.closePath();
}

/** Adds the sign of a loss: a cross for interference, a bar for a radio that was not receiving, else a slash. */
export function traceLoss(context: CanvasRenderingContext2D, heard: number, x: number, y: number, r: number): void {
  const isCross = heard === 4;
  const isBar = heard === 5;
  context.moveTo(x - r, isBar ? y : y + r);
  context.lineTo(x + r, isBar ? y : y - r);
  if (isCross) {
    context.moveTo(x - r, y - r);
    context.lineTo(x + r, y + r);
  }
}

type ToScreen = (metres: number) => number;

/** Below a node that is not on the ground. */
export function writeHeight(context: CanvasRenderingContext2D, metres: number, palette: Palette, x: number, y: number): void {
  if (!metres) return;
  const text = `${metres.toFixed(metres < 10 ? 1 : 0)} m up`;
  context.font = "10px system-ui, sans-serif";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.halo;
  context.strokeText(text, x, y);
  context.fillStyle = palette.ink;
  context.fillText(text, x, y);
}

/**
 * Panels of fields of this area in as many columns as make the fields largest, the last one as wide as what is left.
 * A narrow screen scrolls to more rows, and has as few as it can without smaller fields.
 */
export function arrange(stage: HTMLElement, count: number, area: [number, number]): void {
  const least = matchMedia("(max-width: 640px)").matches ? NARROW_ROW : 0;
  const rows = (columns: number): number => Math.ceil(count / columns);
  const scale = (columns: number): number => {
    const width = stage.clientWidth / columns - MARGIN;
    const height = Math.max(least, stage.clientHeight / rows(columns)) - MARGIN - CAPTION;
    return Math.min(width / area[0], height / area[1]);
  };
  let columns = 1;
  for (let more = 2; more <= count; more++) {
    const gain = scale(more) - scale(columns);
    if (gain > 0 || (gain === 0 && rows(more) < rows(columns))) columns = more;
  }
  stage.style.setProperty("--columns", String(columns));
  stage.style.setProperty("--last", String(columns - ((count - 1) % columns)));
}

/** Walls, each from x, y to x, y in metres. */
export function wallsPath(walls: [number, number, number, number][], screenX: ToScreen, screenY: ToScreen): Path2D {
  const path = new Path2D();
  for (const [x, y, toX, toY] of walls) {
    path.moveTo(screenX(x), screenY(y));
    path.lineTo(screenX(toX), screenY(toY));
  }
  return path;
}
