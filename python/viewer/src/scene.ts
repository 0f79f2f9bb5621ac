// Draws one run at an instant.

import { polygonHull } from "d3-polygon";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import type { Journey, Selection } from "./journey";
import type { Place } from "./layout";
import { classOf, FRAME_CLASSES, PALETTES, ROLE_LOOKS, trace, traceLoss, wallsPath, writeHeight, MARGIN, type Palette } from "./looks";
import { isReceived, type Run } from "./run";
import type { State } from "./state";
import { describeFrame, folded, niceLength } from "./words";

/** How long a frame stays visible, in s of the viewer's time. */
const LINGER = 0.5;
/** Of frames drawn at a time; of hearers drawn for each while playing. */
const MOST_FRAMES = 240;
const MOST_WITH_HEARERS = 40;
/** Over which links' quality is measured, s to either side. */
const QUALITY_SPAN = 10;
const TAU = 2 * Math.PI;

export class Scene {
  readonly canvas: HTMLCanvasElement;
  transform: ZoomTransform = zoomIdentity;
  private readonly context: CanvasRenderingContext2D;
  private readonly zooming;
  private width = 0;
  private height = 0;
  private scale = 1;
  private readonly xs: Float64Array;
  private readonly ys: Float64Array;
  private readonly classes: number[];
  private qualities = new Map<number, number>();
  private qualityAt = NaN;
  /** The one frame that is shown; -1: those of the time. */
  private chosen = -1;

  constructor(
    public run: Run,
    parent: HTMLElement,
    onZoom: (transform: ZoomTransform) => void,
    onPick: (node: number) => void,
    onResize: () => void,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    parent.append(this.canvas);
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.xs = new Float64Array(run.nodes);
    this.ys = new Float64Array(run.nodes);
    this.classes = run.told.kinds.map(classOf);
    this.zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.5, 40])
      .on("zoom", (event: { transform: ZoomTransform; sourceEvent: Event | null }) => {
        this.transform = event.transform;
        if (event.sourceEvent) onZoom(event.transform);
      });
    select(this.canvas).call(this.zooming).on("dblclick.zoom", null);
    this.canvas.addEventListener("click", (event) => onPick(this.nodeAt(event.offsetX, event.offsetY)));
    new ResizeObserver(() => {
      this.resize();
      onResize();
    }).observe(parent);
    this.resize();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    const ratio = devicePixelRatio || 1;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    this.scale = Math.max(
      0.01,
      Math.min((clientWidth - MARGIN) / this.run.area[0], (clientHeight - MARGIN) / this.run.area[1]),
    );
  }

  setTransform(transform: ZoomTransform): void {
    select(this.canvas).call(this.zooming.transform, transform);
  }

  zoomBy(factor: number): ZoomTransform {
    select(this.canvas).call(this.zooming.scaleBy, factor);
    return this.transform;
  }

  private screenX(x: number): number {
    return this.transform.applyX(this.width / 2 + (x - this.run.area[0] / 2) * this.scale);
  }

  private screenY(y: number): number {
    return this.transform.applyY(this.height / 2 - (y - this.run.area[1] / 2) * this.scale);
  }

  private nodeAt(x: number, y: number): number {
    let best = -1;
    let bestDistance = 18 ** 2;
    for (let node = 0; node < this.run.nodes; node++) {
      const distance = (this.xs[node]! - x) ** 2 + (this.ys[node]! - y) ** 2;
      if (distance < bestDistance) {
        best = node;
        bestDistance = distance;
      }
    }
    return best;
  }

  draw(state: State, selection: Selection): void {
    const { context, run } = this;
    const palette = PALETTES[state.theme];
    this.chosen = selection.frame;
    const ratio = this.canvas.width / Math.max(1, this.width);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, this.width, this.height);
    const place: Place = { x: 0, y: 0 };
    for (let node = 0; node < run.nodes; node++) {
      run.place(node, state.time, place);
      this.xs[node] = this.screenX(place.x);
      this.ys[node] = this.screenY(place.y);
    }
    const instant = run.instantAt(state.time);
    this.drawField(palette);
    if (run.hasFilm) {
      this.drawParts(palette, instant);
      this.drawLinks(palette, state, instant);
    }
    context.lineWidth = 3;
    context.strokeStyle = palette.faint;
    context.stroke(wallsPath(run.told.walls ?? [], (x) => this.screenX(x), (y) => this.screenY(y)));
    this.drawTree(palette, state.time, instant);
    this.drawJourneys(palette, selection.journeys, state.time);
    this.drawAir(palette, state);
    this.drawNodes(palette, state);
    this.drawCaption(palette, selection.frame, state.time);
  }

  private drawField(palette: Palette): void {
    const { context, run } = this;
    const [left, top] = [this.screenX(0), this.screenY(run.area[1])];
    const [right, bottom] = [this.screenX(run.area[0]), this.screenY(0)];
    context.lineWidth = 1;
    context.strokeStyle = palette.grid;
    context.strokeRect(left - 10, top - 10, right - left + 20, bottom - top + 20);
    if (!run.hasPlaces || run.isWired) return;
    const metres = niceLength(80 / (this.scale * this.transform.k));
    const pixels = metres * this.scale * this.transform.k;
    const y = this.height - 12;
    context.strokeStyle = context.fillStyle = palette.faint;
    context.beginPath();
    context.moveTo(14, y - 4);
    context.lineTo(14, y);
    context.lineTo(14 + pixels, y);
    context.lineTo(14 + pixels, y - 4);
    context.stroke();
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(`${metres} m`, 20, y - 2);
  }

  /** Parts of the network that cannot reach each other, each in a tint of its own. */
  private drawParts(palette: Palette, instant: number): void {
    const { context, run } = this;
    const { parts, count } = run.parts(instant);
    if (count < 2) return;
    context.lineJoin = context.lineCap = "round";
    for (let part = 0; part < count; part++) {
      const points: [number, number][] = [];
      for (let node = 0; node < run.nodes; node++) {
        if (parts[node] === part) points.push([this.xs[node]!, this.ys[node]!]);
      }
      const hull = polygonHull(points) ?? points;
      context.fillStyle = context.strokeStyle = palette.parts[part % palette.parts.length]!;
      context.lineWidth = 52;
      context.beginPath();
      hull.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      if (hull.length === 1) context.lineTo(hull[0]![0] + 0.1, hull[0]![1]);
      context.closePath();
      context.fill();
      context.stroke();
    }
  }

  private drawLinks(palette: Palette, state: State, instant: number): void {
    const { context, run } = this;
    if (state.links === "quality" && run.hasHeard) {
      this.measure(state);
    }
    const isMany = run.nodes > 30;
    context.strokeStyle = palette.link;
    context.lineWidth = run.isWired ? 2 : 1;
    context.globalAlpha = run.isWired ? 0.6 : isMany ? 0.16 : 0.3;
    const isMeasured = state.links === "quality" && run.hasHeard;
    const chosen: number[] = [];
    context.beginPath();
    for (let high = 1; high < run.nodes; high++) {
      for (let low = 0; low < high; low++) {
        if (!run.isLinked(low, high, instant)) continue;
        if (state.node === low || state.node === high) chosen.push(state.node === low ? high : low);
        if (state.links === "reach") {
          context.moveTo(this.xs[low]!, this.ys[low]!);
          context.lineTo(this.xs[high]!, this.ys[high]!);
        }
      }
    }
    context.stroke();
    if (isMeasured) this.drawQualities(palette, isMany);
    context.globalAlpha = 1;
    this.drawChosenLinks(palette, state, chosen);
  }

  /** The share of frames received, both ways, in five classes: thin and dotted is bad, thick is good. */
  private drawQualities(palette: Palette, isMany: boolean): void {
    const { context, run } = this;
    for (let level = 0; level < 5; level++) {
      context.beginPath();
      context.lineWidth = 0.6 + 0.55 * level;
      context.globalAlpha = (isMany ? 0.5 : 0.8) * (0.18 + 0.14 * level);
      context.setLineDash(level < 2 ? [2, 4] : level < 3 ? [6, 3] : []);
      context.strokeStyle = level < 2 ? palette.broken : palette.link;
      for (const [pair, quality] of this.qualities) {
        if (Math.min(4, Math.floor(quality * 5)) !== level) continue;
        const low = Math.floor(pair / run.nodes);
        const high = pair % run.nodes;
        context.moveTo(this.xs[low]!, this.ys[low]!);
        context.lineTo(this.xs[high]!, this.ys[high]!);
      }
      context.stroke();
    }
    context.setLineDash([]);
  }

  private measure(state: State): void {
    const at = Math.round(state.time);
    if (at === this.qualityAt) return;
    this.qualityAt = at;
    this.qualities.clear();
    const { run } = this;
    for (let high = 1; high < run.nodes; high++) {
      for (let low = 0; low < high; low++) {
        const both = [run.quality(low, high, at - QUALITY_SPAN, at + QUALITY_SPAN), run.quality(high, low, at - QUALITY_SPAN, at + QUALITY_SPAN)];
        const known = both.filter((one) => !Number.isNaN(one));
        const quality = known.reduce((sum, one) => sum + one, 0) / known.length;
        if (quality > 0) this.qualities.set(low * run.nodes + high, quality);
      }
    }
  }

  private drawChosenLinks(palette: Palette, state: State, others: number[]): void {
    const { context, run } = this;
    if (state.node < 0) return;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const other of others) {
      const quality = run.hasHeard && !run.isWired
        ? run.quality(state.node, other, state.time - QUALITY_SPAN, state.time + QUALITY_SPAN)
        : NaN;
      context.strokeStyle = palette.select;
      context.globalAlpha = 0.8;
      context.lineWidth = Number.isNaN(quality) ? 1 : 0.7 + 2.5 * quality;
      context.beginPath();
      context.moveTo(this.xs[state.node]!, this.ys[state.node]!);
      context.lineTo(this.xs[other]!, this.ys[other]!);
      context.stroke();
      context.globalAlpha = 1;
      if (!Number.isNaN(quality) && this.isRoomy) {
        const x = this.xs[state.node]! + 0.62 * (this.xs[other]! - this.xs[state.node]!);
        const y = this.ys[state.node]! + 0.62 * (this.ys[other]! - this.ys[state.node]!);
        this.label(palette, `${Math.round(100 * quality)}%`, x, y, palette.ink);
      }
    }
  }

  private label(palette: Palette, text: string, x: number, y: number, colour: string): void {
    const { context } = this;
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = palette.halo;
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  private drawTree(palette: Palette, time: number, instant: number): void {
    const { context, run } = this;
    for (let node = 0; node < run.nodes; node++) {
      const parent = run.parent(node, time);
      if (parent < 0 || parent === node) continue;
      const isBroker = run.told.roles[node]!.includes("B");
      const isBroken = run.hasFilm && !run.isLinked(node, parent, instant);
      context.strokeStyle = context.fillStyle = isBroken ? palette.broken : isBroker ? palette.tree : palette.client;
      context.lineWidth = isBroker ? 3 : 1.3;
      context.globalAlpha = isBroker ? 0.85 : 0.7;
      context.setLineDash(isBroken ? [6, 5] : isBroker ? [] : [2, 3]);
      context.beginPath();
      context.moveTo(this.xs[node]!, this.ys[node]!);
      context.lineTo(this.xs[parent]!, this.ys[parent]!);
      context.stroke();
      context.setLineDash([]);
      if (isBroker) this.arrow(node, parent, 0.55, 7);
    }
    context.globalAlpha = 1;
  }

  private arrow(from: number, to: number, share: number, size: number): void {
    const { context } = this;
    const [x0, y0, x1, y1] = [this.xs[from]!, this.ys[from]!, this.xs[to]!, this.ys[to]!];
    const angle = Math.atan2(y1 - y0, x1 - x0);
    const x = x0 + share * (x1 - x0);
    const y = y0 + share * (y1 - y0);
    context.beginPath();
    context.moveTo(x + size * Math.cos(angle), y + size * Math.sin(angle));
    context.lineTo(x + size * Math.cos(angle + 2.4), y + size * Math.sin(angle + 2.4));
    context.lineTo(x + size * Math.cos(angle - 2.4), y + size * Math.sin(angle - 2.4));
    context.fill();
  }

  private drawJourneys(palette: Palette, journeys: Journey[], time: number): void {
    const { context } = this;
    const drawn = new Set<number>();
    context.lineCap = "round";
    for (const hop of journeys.flatMap((journey) => journey.hops)) {
      if (drawn.has(hop.frame * 65536 + hop.to)) continue;
      drawn.add(hop.frame * 65536 + hop.to);
      context.strokeStyle = context.fillStyle = palette.select;
      context.globalAlpha = hop.arrived <= time ? 0.9 : 0.35;
      context.lineWidth = 5;
      context.setLineDash(hop.arrived <= time ? [] : [1, 9]);
      context.beginPath();
      context.moveTo(this.xs[hop.from]!, this.ys[hop.from]!);
      context.lineTo(this.xs[hop.to]!, this.ys[hop.to]!);
      context.stroke();
      context.setLineDash([]);
      this.arrow(hop.from, hop.to, 0.5, 9);
    }
    context.globalAlpha = 1;
    context.lineCap = "butt";
  }

  isShown(frame: number, state: State): boolean {
    const { run } = this;
    if (state.hidden.has(run.told.kinds[run.frameKind[frame]!]!)) return false;
    if (!state.onlyNode || state.node < 0) return true;
    return (
      run.frameNode[frame] === state.node ||
      run.framePeer[frame] === state.node ||
      (run.hasHeard && run.heard(frame, state.node) > 0)
    );
  }

  /** Whether signs beside the nodes do not hide each other. */
  private get isRoomy(): boolean {
    return this.run.nodes <= 30 || this.transform.k > 1.8;
  }

  private drawAir(palette: Palette, state: State): void {
    const { run, chosen } = this;
    if (chosen >= 0) {
      this.drawFrame(palette, state, chosen, 0.35, true);
      return;
    }
    const linger = run.isLaboratory ? 1 : LINGER * state.speed;
    const last = run.framesUpTo(state.time);
    const first = Math.max(last - MOST_FRAMES, run.framesUpTo(state.time - linger));
    const isDetailed = last - first <= MOST_WITH_HEARERS && this.isRoomy;
    for (let frame = first; frame < last; frame++) {
      if (this.isShown(frame, state)) {
        const age = Math.min(1, (state.time - run.frameTime[frame]!) / linger);
        this.drawFrame(palette, state, frame, age, isDetailed);
      }
    }
  }

  /** A frame: a line with a dot on its way, or a ring if it is for everybody; with signs for who heard it. */
  private drawFrame(palette: Palette, state: State, frame: number, age: number, withHearers: boolean): void {
    const { context, run } = this;
    const colour = FRAME_CLASSES[this.classes[run.frameKind[frame]!]!]!.colours[state.theme];
    const from = run.frameNode[frame]!;
    const to = run.framePeer[frame]!;
    const [x, y] = [this.xs[from]!, this.ys[from]!];
    const fade = frame === this.chosen ? 1 : Math.max(0, 1 - age);
    context.strokeStyle = context.fillStyle = colour;
    context.globalAlpha = fade;
    if (to < 0) {
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, 12 + 34 * Math.sqrt(age), 0, TAU);
      context.stroke();
    } else {
      const [x1, y1] = [this.xs[to]!, this.ys[to]!];
      const share = Math.min(1, age / 0.5);
      context.lineWidth = 1.8;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x1, y1);
      context.stroke();
      context.beginPath();
      context.arc(x + share * (x1 - x), y + share * (y1 - y), 3.6, 0, TAU);
      context.fill();
      if (run.hasHeard && !withHearers && age > 0.4) this.hearing(palette, frame, to, fade);
    }
    if (run.hasHeard && withHearers) {
      for (let node = 0; node < run.nodes; node++) this.hearing(palette, frame, node, fade);
    }
    context.globalAlpha = 1;
  }

  /** How a node heard a frame: a ring if it did, a cross for interference, a bar or a slash for the rest. */
  private hearing(palette: Palette, frame: number, node: number, alpha: number): void {
    const { context, run } = this;
    const heard = run.heard(frame, node);
    const isAddressee = run.framePeer[frame] === node;
    const isMissing = heard === 0 && isAddressee;
    if (heard === 0 && !isMissing) return;
    const [x, y] = [this.xs[node]!, this.ys[node]!];
    context.globalAlpha = alpha * (isAddressee || run.framePeer[frame]! < 0 ? 1 : frame === this.chosen ? 0.75 : 0.45);
    context.beginPath();
    if (isReceived(heard)) {
      context.lineWidth = isAddressee ? 3 : 1.8;
      context.arc(x, y, 15, 0, TAU);
      context.stroke();
      return;
    }
    const colour = context.strokeStyle;
    context.strokeStyle = palette.lost;
    context.lineWidth = 2.4;
    traceLoss(context, heard, x + 13, y - 13, 7);
    context.stroke();
    context.strokeStyle = colour;
  }

  private drawNodes(palette: Palette, state: State): void {
    const { context, run } = this;
    const r = Math.min(15, (run.nodes > 30 ? 9.5 : 11.5) * Math.sqrt(this.transform.k));
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let node = 0; node < run.nodes; node++) {
      const look = ROLE_LOOKS[run.told.roles[node]!] ?? ROLE_LOOKS.R!;
      const [x, y] = [this.xs[node]!, this.ys[node]!];
      if (x < -40 || y < -40 || x > this.width + 40 || y > this.height + 40) continue;
      const isUp = run.isUp(node, state.time);
      if (run.leader(node, state.time) === node) this.ring(palette.ink, x, y, r + 6, 2.2);
      if (state.node === node) this.ring(palette.select, x, y, r + 9, 3.5);
      context.beginPath();
      trace(context, look.shape, x, y, r);
      context.fillStyle = isUp ? look.fill : palette.ground;
      context.strokeStyle = isUp ? palette.halo : look.fill;
      context.lineWidth = 1.6;
      context.fill();
      context.stroke();
      context.font = `600 ${r >= 11 ? 11 : 9.5}px system-ui, sans-serif`;
      context.fillStyle = isUp ? look.text : palette.ink;
      context.fillText(run.name(node), x, y + (look.shape === "triangle" ? 2 : 0.5));
      const queued = run.queued(node, state.time);
      const isCounted = this.isRoomy || state.node === node;
      if (isCounted) writeHeight(context, run.height(node, state.time), palette, x, y + r + 8);
      if (queued > 0) this.drawQueue(palette, queued, isCounted, x + r + 1, y - r - 1);
    }
  }

  private ring(colour: string, x: number, y: number, r: number, width: number): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.arc(x, y, r, 0, TAU);
    context.stroke();
  }

  /** How many events a node holds: a bar, higher with the logarithm of the number, and the number if it is `isCounted`. */
  private drawQueue(palette: Palette, queued: number, isCounted: boolean, x: number, y: number): void {
    const { context } = this;
    const height = Math.min(22, 3 + 6 * Math.log10(1 + queued));
    context.fillStyle = palette.select;
    context.strokeStyle = palette.halo;
    context.lineWidth = 1;
    context.fillRect(x, y + 8 - height, 4.5, height);
    context.strokeRect(x, y + 8 - height, 4.5, height);
    if (!isCounted) return;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "left";
    this.label(palette, String(queued), x + 7, y + 4, palette.ink);
    context.textAlign = "center";
  }

  private drawCaption(palette: Palette, frame: number, time: number): void {
    const { context, run } = this;
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "top";
    const lines = run.command(time).split("\n");
    if (frame >= 0) lines.push(describeFrame(run, frame));
    const rows = lines.filter(Boolean).flatMap((line) => folded(context, line, this.width - 28));
    rows.slice(0, 12).forEach((row, i) => this.label(palette, row, 14, 10 + 18 * i, palette.ink));
  }
}
