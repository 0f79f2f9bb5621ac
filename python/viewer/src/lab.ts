// The laboratory as a Jupyter widget (anywidget): what it shows is told by Python, which does what is asked of it.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { h } from "./elements";
import { PALETTES } from "./looks";

/** What lab/widget.py tells of a laboratory. */
interface Told {
  brokers: { name: string; parent: string | null; isUp: boolean; knows: string[] }[];
  clients: { name: string; broker: string; role: "S" | "P"; got: string[] }[];
  pending: [string, string][];
  log: string[];
  error: string;
}

interface Model {
  get(name: "told"): Told;
  on(event: string, handler: () => void): void;
  off(event: string, handler: () => void): void;
  send(command: Command): void;
}

type Command = { do: "step" | "settle" } | { do: "step link" | "link"; one: string; other: string };

interface Body {
  name: string;
  x: number;
  y: number;
}

const [WIDTH, HEIGHT] = [620, 380];
const COLOURS = PALETTES.light;

function svg(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

class View {
  private readonly bodies = new Map<string, Body>();
  private readonly picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: "100%", style: "touch-action:none" });
  private readonly knowledge = h("pre", { class: "knowledge" });
  private readonly log = h("pre", { class: "log" });
  private readonly error = h("p", { role: "alert", style: `color:${COLOURS.lost}` });
  private readonly linking = h("button", { "aria-pressed": "false", click: () => this.beginLink() }, "link, part or move");
  private chosen = "";
  private isLinking = false;

  constructor(
    private readonly model: Model,
    element: HTMLElement,
  ) {
    element.append(
      h(
        "div",
        { style: "font:13px system-ui,sans-serif;max-width:900px" },
        h("button", { class: "step", click: () => model.send({ do: "step" }) }, "step"),
        " ",
        h("button", { class: "settle", click: () => model.send({ do: "settle" }) }, "settle"),
        " ",
        this.linking,
        h("span", { style: `color:${COLOURS.faint}` }, " Drag to arrange; click a node for what it knows, an arrow to deliver its message."),
        this.error,
        h("div", { style: "display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:12px" }, this.picture as unknown as HTMLElement, this.knowledge),
        this.log,
      ),
    );
  }

  show(): void {
    const told = this.model.get("told");
    this.place(told);
    const shapes = [...this.links(told), ...this.messages(told), ...this.nodes(told)];
    this.picture.replaceChildren(svg("defs", {}, arrowHead()), ...shapes);
    this.error.textContent = told.error;
    this.log.textContent = told.log.join("\n");
    const broker = told.brokers.find(({ name }) => name === this.chosen);
    const client = told.clients.find(({ name }) => name === this.chosen);
    const lines = broker ? broker.knows : client ? [`at ${client.broker}`, `got: ${client.got.join(" ") || "nothing"}`] : [];
    this.knowledge.textContent = this.chosen ? [this.chosen, ...lines].join("\n") : "";
  }

  /** New nodes are put near those that they belong to; where others stand stays. */
  private place(told: Told): void {
    const names = [...told.brokers, ...told.clients].map(({ name }) => name);
    const fresh = names.filter((name) => !this.bodies.has(name));
    if (!fresh.length) return;
    fresh.forEach((name, i) => this.bodies.set(name, { name, x: WIDTH / 2 + 40 * Math.cos(i), y: HEIGHT / 2 + 40 * Math.sin(i) }));
    const fixed = names.filter((name) => !fresh.includes(name));
    const bodies = names.map((name) => Object.assign(this.bodies.get(name)!, { fx: undefined, fy: undefined }));
    for (const name of fixed) Object.assign(this.bodies.get(name)!, { fx: this.bodies.get(name)!.x, fy: this.bodies.get(name)!.y });
    forceSimulation<Body>(bodies)
      .force("links", forceLink<Body, { source: string; target: string }>(edges(told).map(([source, target]) => ({ source, target }))).id(({ name }) => name).distance(70))
      .force("apart", forceManyBody().strength(-220))
      .force("near", forceCollide(26))
      .force("x", forceX(WIDTH / 2).strength(0.05))
      .force("y", forceY(HEIGHT / 2).strength(0.09))
      .stop()
      .tick(300);
    for (const body of bodies) this.keepInside(body);
  }

  private keepInside(body: Body): void {
    body.x = Math.min(WIDTH - 24, Math.max(24, body.x));
    body.y = Math.min(HEIGHT - 24, Math.max(24, body.y));
  }

  private line(one: string, other: string, attributes: Record<string, string | number>): SVGElement {
    const [from, to] = [this.bodies.get(one)!, this.bodies.get(other)!];
    return svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, ...attributes });
  }

  private links(told: Told): SVGElement[] {
    const clients = new Set(told.clients.map(({ name }) => name));
    return edges(told).map(([one, other]) =>
      this.line(one, other, clients.has(one) ? { stroke: COLOURS.client, "stroke-dasharray": "3 3" } : { stroke: COLOURS.tree, "stroke-width": 3 }),
    );
  }

  /** An arrow for each direction in which messages wait: a click delivers the oldest. */
  private messages(told: Told): SVGElement[] {
    return told.pending
      .filter(([one, other]) => one !== other && this.bodies.has(one) && this.bodies.has(other))
      .map(([one, other]) => {
        const arrow = this.line(one, other, { stroke: COLOURS.select, "stroke-width": 5, "marker-end": "url(#head)", class: "message", style: "cursor:pointer" });
        arrow.append(svg("title", {}, `deliver ${one} → ${other}`));
        arrow.addEventListener("click", () => this.model.send({ do: "step link", one, other }));
        return arrow;
      });
  }

  private nodes(told: Told): SVGElement[] {
    const brokers = told.brokers.map(({ name, isUp }) => this.node(name, "B", isUp));
    return [...brokers, ...told.clients.map(({ name, role }) => this.node(name, role, true))];
  }

  private node(name: string, role: string, isUp: boolean): SVGElement {
    const body = this.bodies.get(name)!;
    const fill = isUp ? (role === "B" ? COLOURS.tree : role === "S" ? "#009E73" : COLOURS.broken) : COLOURS.ground;
    const outline = { fill, stroke: name === this.chosen ? COLOURS.select : COLOURS.ink, "stroke-width": name === this.chosen ? 4 : 1 };
    const shape = role === "B" ? svg("rect", { x: -11, y: -11, width: 22, height: 22, ...outline }) : svg("circle", { r: 11, ...outline });
    const text = svg("text", { y: 25, "text-anchor": "middle", "font-size": 12, fill: COLOURS.ink }, name);
    const group = svg("g", { transform: `translate(${body.x} ${body.y})`, class: "node", "data-name": name, style: "cursor:grab" }, shape, text);
    group.addEventListener("pointerdown", (event) => this.drag(event as PointerEvent, body));
    return group;
  }

  /** Moves a node while the pointer is held; if it was not moved, it was clicked. */
  private drag(start: PointerEvent, body: Body): void {
    start.preventDefault();
    const scale = WIDTH / this.picture.getBoundingClientRect().width;
    const [x, y] = [body.x, body.y];
    let isMoved = false;
    const move = (event: PointerEvent): void => {
      const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
      isMoved ||= Math.hypot(dx, dy) > 4;
      [body.x, body.y] = [x + scale * dx, y + scale * dy];
      this.keepInside(body);
      this.show();
    };
    const end = (): void => {
      removeEventListener("pointermove", move);
      if (!isMoved) this.pick(body.name);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end, { once: true });
  }

  private beginLink(): void {
    this.isLinking = this.chosen !== "";
    this.linking.setAttribute("aria-pressed", String(this.isLinking));
    this.error.textContent = this.isLinking ? `Now click whom ${this.chosen} is linked with, parted from, or moved to.` : "First click a node.";
  }

  private pick(name: string): void {
    if (this.isLinking) {
      this.isLinking = false;
      this.linking.setAttribute("aria-pressed", "false");
      this.model.send({ do: "link", one: this.chosen, other: name });
      return;
    }
    this.chosen = name;
    this.show();
  }
}

function edges(told: Told): [string, string][] {
  const tree = told.brokers.filter(({ parent }) => parent !== null).map(({ name, parent }): [string, string] => [name, parent!]);
  return [...tree, ...told.clients.map(({ name, broker }): [string, string] => [name, broker])];
}

function arrowHead(): SVGElement {
  return svg("marker", { id: "head", viewBox: "0 0 10 10", refX: 16, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto" }, svg("path", { d: "M0 0L10 5L0 10z", fill: COLOURS.select }));
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const view = new View(model, el);
  const show = (): void => view.show();
  show();
  model.on("change:told", show);
  return () => model.off("change:told", show);
}

export default { render };
