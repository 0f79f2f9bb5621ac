// The run as a whole, above a scale of time: load, leaders, migrations, faults, the chosen event.

import { scaleLinear } from "d3-scale";
import type { Journey } from "./journey";
import { classOf, FRAME_CLASSES, PALETTES, type Palette } from "./looks";
import { countUpTo, type Run } from "./run";
import type { State } from "./state";

const AXIS = 20;
const LEFT = 92;
const RIGHT = 26;
/** From one label of the axis to the next, px. */
const LABEL = 64;

/** What of a run is the same at all instants, for one width of the page. */
interface Summary {
  bins: number;
  start: number;
  end: number;
  /** Frames a second, by class of kinds, then bin. */
  load: Float32Array[];
  mostLoad: number;
  moves: Float32Array;
  mostMoves: number;
}

export class Timeline {
  readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private width = 100;
  private range: [number, number];
  private readonly duration: number;
  private readonly summaries = new WeakMap<Run, Summary>();
  private backdrop: { canvas: HTMLCanvasElement; key: string } | null = null;

  constructor(
    private readonly runs: Run[],
    parent: HTMLElement,
    onSeek: (time: number) => void,
    private readonly redraw: () => void,
  ) {
    parent.append(this.canvas);
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.duration = Math.max(...runs.map((run) => run.told.duration));
    this.range = [0, this.duration];
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Timeline: load by kind of frame, leaders, migrations, faults");
    const seek = (event: PointerEvent): void => {
      onSeek(Math.min(this.duration, Math.max(0, this.scale().invert(event.offsetX))));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
    this.canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    this.canvas.addEventListener("dblclick", () => {
      this.range = [0, this.duration];
      this.redraw();
    });
    new ResizeObserver(() => this.resize()).observe(parent);
    this.resize();
  }

  /** Of one run. */
  private get row(): number {
    return this.runs[0]!.isLaboratory ? 30 : 74;
  }

  private get height(): number {
    return this.runs.length * this.row + AXIS;
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.parentElement!.clientWidth;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.round(this.height * ratio);
    this.backdrop = null;
    this.redraw();
  }

  private scale() {
    return scaleLinear().domain(this.range).range([LEFT, Math.max(LEFT + 1, this.width - RIGHT)]);
  }

  private zoom(event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(event.deltaY * 0.002);
    const about = this.scale().invert(event.offsetX);
    const [start, end] = this.range;
    const span = Math.min(this.duration, Math.max(0.05, (end - start) * factor));
    const share = (about - start) / (end - start);
    const first = Math.min(Math.max(0, about - share * span), this.duration - span);
    this.range = [first, first + span];
    this.redraw();
  }

  /** More of a run is known. */
  renew(): void {
    this.backdrop = null;
  }

  /** Keeps an instant in view. */
  follow(time: number): void {
    const [start, end] = this.range;
    if (time >= start && time <= end) return;
    const span = end - start;
    const first = Math.min(Math.max(0, time - 0.1 * span), this.duration - span);
    this.range = [first, first + span];
  }

  private summarise(run: Run): Summary {
    const bins = Math.max(1, Math.floor(this.width - LEFT - RIGHT));
    const [start, end] = this.range;
    const known = this.summaries.get(run);
    if (known && known.bins === bins && known.start === start && known.end === end) return known;
    const bin = (end - start) / bins;
    const load = FRAME_CLASSES.map(() => new Float32Array(bins));
    const classes = run.told.kinds.map(classOf);
    const total = new Float32Array(bins);
    for (let frame = countUpTo(run.frameTime, start); frame < run.frameTime.length; frame++) {
      const at = Math.floor((run.frameTime[frame]! - start) / bin);
      if (at >= bins) break;
      load[classes[run.frameKind[frame]!]!]![at]! += 1 / bin;
      total[at]! += 1 / bin;
    }
    const moves = new Float32Array(bins);
    for (let move = countUpTo(run.moveTime, start); move < run.moveTime.length; move++) {
      const at = Math.floor((run.moveTime[move]! - start) / bin);
      if (at >= bins) break;
      moves[at]!++;
    }
    const summary = { bins, start, end, load, mostLoad: Math.max(1, ...total), moves, mostMoves: Math.max(1, ...moves) };
    this.summaries.set(run, summary);
    return summary;
  }

  draw(state: State, journeys: Journey[][]): void {
    const { context } = this;
    const palette = PALETTES[state.theme];
    const key = [this.width, ...this.range, state.theme].join();
    if (this.backdrop?.key !== key) {
      this.backdrop = { canvas: this.paintBackdrop(palette, state.theme), key };
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.backdrop.canvas, 0, 0);
    const ratio = this.canvas.width / Math.max(1, this.width);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const scale = this.scale();
    journeys.forEach((of, i) => this.drawEvent(palette, this.runs[i]!, of, i * this.row, scale));
    const x = scale(state.time);
    if (x >= LEFT - 1 && x <= this.width - RIGHT + 1) {
      context.strokeStyle = context.fillStyle = palette.select;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.height - AXIS + 4);
      context.stroke();
      context.beginPath();
      context.arc(x, 4, 4.5, 0, 2 * Math.PI);
      context.fill();
    }
  }

  private drawEvent(palette: Palette, run: Run, journeys: Journey[], top: number, scale: (time: number) => number): void {
    if (!journeys.length) return;
    const { context } = this;
    const published = scale(run.eventTime[run.pairEvent[journeys[0]!.pair]!]!);
    context.strokeStyle = palette.select;
    context.lineWidth = 1.5;
    for (const journey of journeys) {
      if (Number.isNaN(journey.delivered)) continue;
      const x = scale(journey.delivered);
      context.beginPath();
      context.moveTo(published, top + 10);
      context.lineTo(x, top + 10);
      context.moveTo(x, top + 5);
      context.lineTo(x, top + 15);
      context.stroke();
    }
    context.fillStyle = palette.select;
    context.beginPath();
    context.arc(published, top + 10, 4, 0, 2 * Math.PI);
    context.fill();
  }

  private paintBackdrop(palette: Palette, theme: State["theme"]): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = this.canvas.width;
    canvas.height = this.canvas.height;
    const context = canvas.getContext("2d")!;
    const ratio = canvas.width / Math.max(1, this.width);
    context.scale(ratio, ratio);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, this.width, this.height);
    this.runs.forEach((run, i) => this.paintRun(context, palette, theme, run, i * this.row));
    this.paintAxis(context, palette);
    return canvas;
  }

  private paintAxis(context: CanvasRenderingContext2D, palette: Palette): void {
    const scale = this.scale();
    const y = this.height - AXIS;
    context.strokeStyle = palette.grid;
    context.fillStyle = palette.faint;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "top";
    const [left, right] = scale.range() as [number, number];
    const count = Math.max(2, Math.min(12, Math.floor((right - left) / LABEL)));
    const format = scale.tickFormat(count);
    const unit = this.runs[0]!.isLaboratory ? "" : " s";
    for (const tick of scale.ticks(count)) {
      const x = Math.round(scale(tick)) + 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, y + 3);
      context.stroke();
      context.fillText(`${format(tick)}${unit}`, x, y + 5);
    }
  }

  private paintRun(context: CanvasRenderingContext2D, palette: Palette, theme: State["theme"], run: Run, top: number): void {
    const summary = this.summarise(run);
    const area = { top: top + 4, height: run.isLaboratory ? 20 : 44 };
    const base = new Float32Array(summary.bins);
    FRAME_CLASSES.forEach((sort, i) => {
      context.fillStyle = sort.colours[theme];
      for (let bin = 0; bin < summary.bins; bin++) {
        const height = (area.height * summary.load[i]![bin]!) / summary.mostLoad;
        if (height > 0) {
          context.fillRect(LEFT + bin, area.top + area.height - base[bin]! - height, 1, height);
          base[bin]! += height;
        }
      }
    });
    if (run.told.kinds.length) {
      this.loadLabel(run, summary).forEach((text, i) => this.text(context, palette, text, area.top + 6 + 12 * i));
    }
    this.paintMoves(context, palette, summary, top + 50);
    this.paintLeaders(context, palette, run, top + 59);
    this.paintFaults(context, palette, run, top + 2);
    this.paintEnd(context, palette, run, top);
    context.strokeStyle = palette.grid;
    context.beginPath();
    context.moveTo(0, top + this.row - 0.5);
    context.lineTo(this.width, top + this.row - 0.5);
    context.stroke();
  }

  /** What the highest bar stands for: of bars of less than a second a rate would be of more frames than there are. */
  private loadLabel(run: Run, { start, end, bins, mostLoad }: Summary): string[] {
    const what = run.isWired ? "messages" : "frames";
    if (run.isLaboratory) return [what];
    const bin = (end - start) / bins;
    if (bin >= 1) return [`${Math.round(mostLoad)} ${what}/s`];
    return [`${Math.round(mostLoad * bin)} ${what}`, `in ${Number((1000 * bin).toPrecision(2))} ms`];
  }

  /** Of a run that is shorter than another: there is no more of it. */
  private paintEnd(context: CanvasRenderingContext2D, palette: Palette, run: Run, top: number): void {
    const from = Math.max(LEFT, this.scale()(run.told.duration));
    const width = this.width - RIGHT - from;
    if (run.told.duration >= this.duration || width <= 0) return;
    context.fillStyle = palette.faint;
    context.globalAlpha = 0.15;
    context.fillRect(from, top, width, this.row - 1);
    context.globalAlpha = 1;
    if (width > LABEL) this.text(context, palette, "over", top + this.row / 2, from + 36);
  }

  private text(context: CanvasRenderingContext2D, palette: Palette, text: string, y: number, right = LEFT - 6): void {
    context.fillStyle = palette.faint;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(text, right, y);
  }

  private paintMoves(context: CanvasRenderingContext2D, palette: Palette, summary: Summary, top: number): void {
    if (!summary.moves.some(Boolean)) return;
    this.text(context, palette, "migrations", top + 3);
    context.fillStyle = palette.ink;
    for (let bin = 0; bin < summary.bins; bin++) {
      if (summary.moves[bin]) {
        context.globalAlpha = 0.15 + (0.85 * summary.moves[bin]!) / summary.mostMoves;
        context.fillRect(LEFT + bin, top, 1, 6);
      }
    }
    context.globalAlpha = 1;
  }

  /** How many lead, as the height of a line: one is quiet, more is a split network or one that forms. */
  private paintLeaders(context: CanvasRenderingContext2D, palette: Palette, run: Run, top: number): void {
    if (!run.hasFilm || !run.told.roles.some((letters) => letters.includes("B"))) return;
    const counts = Array.from(run.filmTime, (_, instant) => run.leaders(instant));
    const most = counts.reduce((one, other) => Math.max(one, other), 0); // too many for arguments
    if (!most) return;
    this.text(context, palette, `leaders, ≤ ${most}`, top + 6);
    const scale = this.scale();
    context.strokeStyle = palette.tree;
    context.lineWidth = 1.3;
    context.save();
    context.beginPath();
    context.rect(LEFT, top, this.width - LEFT - RIGHT, 14);
    context.clip();
    context.beginPath();
    counts.forEach((count, instant) => {
      const x = scale(run.filmTime[instant]!);
      const y = top + 11 - (9 * (count - 1)) / Math.max(1, most - 1);
      if (instant) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.stroke();
    context.restore();
  }

  private paintFaults(context: CanvasRenderingContext2D, palette: Palette, run: Run, top: number): void {
    const scale = this.scale();
    for (let fault = 0; fault < run.faultTime.length; fault++) {
      const isNap = run.told.faults[run.faultKind[fault]!] === "ASLEEP"; // so many that they would cover all else
      if (!run.faultBegins[fault] || isNap) continue;
      let end = run.told.duration;
      for (let later = fault + 1; later < run.faultTime.length; later++) {
        const isSame =
          run.faultKind[later] === run.faultKind[fault] &&
          run.faultNode[later] === run.faultNode[fault] &&
          run.faultPeer[later] === run.faultPeer[fault];
        if (isSame && !run.faultBegins[later]) {
          end = run.faultTime[later]!;
          break;
        }
      }
      const from = Math.max(LEFT, scale(run.faultTime[fault]!));
      const to = Math.min(this.width - RIGHT, scale(end));
      if (to < from) continue;
      context.fillStyle = palette.lost;
      context.globalAlpha = 0.5;
      context.fillRect(from, top, Math.max(2, to - from), 4);
      context.globalAlpha = 1;
    }
  }
}
