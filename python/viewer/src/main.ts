// The page: reads its runs, plays them in step, and tells each part what is shown.

import { select } from "d3-selection";
import { zoomIdentity, type ZoomTransform } from "d3-zoom";
import { bytesOf, decode } from "./decode";
import { h } from "./elements";
import { journeysOf, type Journey } from "./journey";
import { follow } from "./live";
import { arrange } from "./looks";
import { LETTERS, Panel } from "./panel";
import { Run } from "./run";
import { Scene } from "./scene";
import { fromHash, initialState, SPEEDS, type State, toHash } from "./state";
import { Timeline } from "./timeline";

/** Of the panel while time goes on, in ms. */
const PANEL_INTERVAL = 250;

class Viewer {
  readonly state: State = initialState();
  private readonly scenes: Scene[];
  private readonly timeline: Timeline;
  private readonly panel: Panel;
  private readonly duration: number;
  private journeys: Journey[][];
  private journeysFor = "";
  private last = 0;
  private panelAt = 0;
  private isDirty = true;
  /** Whether there will be no more of what is shown. */
  private isOver: boolean;
  private renewedAt = performance.now();
  /** Pictures drawn so far, and the time they took, ms: for measurements. */
  drawn = 0;
  drawing = 0;

  constructor(readonly runs: Run[]) {
    this.duration = Math.max(...runs.map((run) => run.told.duration));
    this.isOver = !runs[0]!.told.live;
    this.journeys = runs.map(() => []);
    const stage = byId("stage");
    stage.dataset["runs"] = String(runs.length);
    const area = runs[0]!.area;
    new ResizeObserver(() => arrange(stage, runs.length, area)).observe(stage);
    const redraw = (): void => {
      this.isDirty = true;
    };
    this.scenes = runs.map((run) => {
      const pane = h("div", { class: "pane" });
      stage.append(h("figure", {}, h("figcaption", {}), pane));
      return new Scene(run, pane, (transform) => this.zoomAll(transform), (node) => this.pickNode(node), redraw);
    });
    const actions = {
      seek: (time: number, run = 0, frame = -1) => this.seek(time, run, frame),
      pickNode: (node: number) => this.pickNode(node),
      pickEvent: (publisher: number, sequence: number) => this.pickEvent(publisher, sequence),
      change: (part: Partial<State>) => this.change(part),
    };
    const hasEvents = runs.some((run) => run.eventTime.length > 0);
    document.querySelector<HTMLElement>("[data-tab=event]")!.hidden = !hasEvents;
    this.timeline = new Timeline(runs, byId("timeline"), (time) => this.seek(time), redraw);
    this.panel = new Panel(runs, byId("content"), actions);
    this.takeAddress();
    this.listen();
    this.update();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** How far the runs have come. */
  private get end(): number {
    return Math.max(...this.runs.map((run) => run.until));
  }

  /** Shows more of the one run that is going on; while it plays, all of that until there will be more again. */
  renew(run: Run): void {
    const now = performance.now();
    const passed = Math.max(0.1, (now - this.renewedAt) / 1000);
    this.renewedAt = now;
    this.runs[0] = this.scenes[0]!.run = run;
    this.timeline.renew();
    if (this.state.isPlaying) this.state.speed = Math.max(0.1, (this.end - this.state.time) / passed);
    this.update();
  }

  /** There will be no more of the run that was going on. */
  finish(): void {
    this.isOver = true;
    if (this.end < this.duration) {
      this.tell([`There is no more of this run: it was stopped, or this page was not given its end. It goes to ${this.end.toFixed(2)} s of ${this.duration} s.`]);
    }
  }

  private listen(): void {
    addEventListener("hashchange", () => {
      this.takeAddress();
      this.update();
    });
    addEventListener("keydown", (event) => this.key(event));
    const buttons: Record<string, () => void> = {
      play: () => this.togglePlay(),
      slower: () => this.changeSpeed(-1),
      faster: () => this.changeSpeed(1),
      before: () => this.step(-1),
      after: () => this.step(1),
      first: () => this.seek(0),
      whole: () => this.zoomAll(zoomIdentity),
      theme: () => this.change({ theme: this.state.theme === "dark" ? "light" : "dark" }),
      copy: () => this.copyLink(),
      notice: () => (byId("notice").hidden = true),
    };
    for (const [id, action] of Object.entries(buttons)) {
      byId(id).addEventListener("click", action);
    }
    for (const tab of document.querySelectorAll<HTMLButtonElement>("#tabs button")) {
      tab.addEventListener("click", () => this.change({ tab: tab.dataset["tab"]! }));
    }
  }

  /** Runs' titles, behind the letters that the side panel has for them; of a shorter run that it is over. */
  private writeCaptions(): void {
    document.querySelectorAll("figure").forEach((figure, i) => {
      const run = this.runs[i]!;
      const isOver = this.state.time > run.told.duration;
      const title = this.runs.length > 1 ? `${LETTERS[i]}: ${run.title}` : run.title;
      const text = isOver ? `${title} · over at ${run.clock(run.told.duration, 2)}` : title;
      const caption = figure.querySelector("figcaption")!;
      if (caption.textContent !== text) caption.textContent = text;
      figure.toggleAttribute("data-over", isOver);
    });
  }

  /** Takes what the address says, and tells what of it is not there. */
  private takeAddress(): void {
    const wrong = fromHash(location.hash, this.state, this.runs);
    this.state.time = Math.min(this.end, Math.max(0, this.state.time));
    this.tell(wrong);
  }

  private tell(wrong: string[]): void {
    const notice = byId("notice");
    notice.textContent = wrong.join(" ");
    notice.hidden = wrong.length === 0;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (hasOwn(event.key, target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const leap = event.shiftKey ? 10 : 1;
    const links: State["links"][] = ["reach", "quality", "none"];
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ArrowLeft: () => this.seek(this.state.time - leap),
      ArrowRight: () => this.seek(this.state.time + leap),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      "[": () => this.changeSpeed(-1),
      "]": () => this.changeSpeed(1),
      Home: () => this.seek(0),
      End: () => this.seek(this.duration),
      "+": () => this.zoomAll(this.scenes[0]!.zoomBy(1.3)),
      "-": () => this.zoomAll(this.scenes[0]!.zoomBy(1 / 1.3)),
      "0": () => this.zoomAll(zoomIdentity),
      k: () => this.change({ links: links[(links.indexOf(this.state.links) + 1) % links.length]! }),
      d: () => byId("theme").click(),
      n: () => this.stepEvent(1, false),
      p: () => this.stepEvent(-1, false),
      l: () => this.stepEvent(1, true),
      Escape: () => this.change({ node: -1, event: null, frame: -1 }),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  change(part: Partial<State>): void {
    Object.assign(this.state, part);
    this.update();
  }

  seek(time: number, run = 0, frame = -1): void {
    this.change({ time: Math.min(this.end, Math.max(0, time)), run, frame, isPlaying: frame < 0 && this.state.isPlaying });
    this.timeline.follow(this.state.time);
  }

  togglePlay(): void {
    const isAtEnd = this.isOver && this.state.time >= this.end;
    this.change({ isPlaying: !this.state.isPlaying, frame: -1, time: isAtEnd ? 0 : this.state.time });
  }

  private changeSpeed(by: number): void {
    const nearest = SPEEDS.findIndex((speed) => speed >= this.state.speed * 0.999);
    const place = Math.min(SPEEDS.length - 1, Math.max(0, (nearest < 0 ? SPEEDS.length - 1 : nearest) + by));
    this.change({ speed: SPEEDS[place]! });
  }

  /** To the frame before or the next one of those that are shown. */
  step(by: 1 | -1): void {
    const scene = this.scenes[this.state.run]!;
    const { run } = scene;
    let frame = this.state.frame >= 0 ? this.state.frame + by : run.framesUpTo(this.state.time) - (by < 0 ? 1 : 0);
    while (frame >= 0 && frame < run.frameTime.length && !scene.isShown(frame, this.state)) frame += by;
    if (frame >= 0 && frame < run.frameTime.length) this.seek(run.frameTime[frame]!, this.state.run, frame);
  }

  private stepEvent(by: 1 | -1, isLost: boolean): void {
    const run = this.runs[0]!;
    const { event: chosen } = this.state;
    const now = chosen ? run.findEvent(chosen.publisher, chosen.sequence) : -1;
    for (let event = now + by; event >= 0 && event < run.eventTime.length; event += by) {
      if (!isLost || run.pairsOf(event).some((pair) => run.pairCause[pair]! > 0)) {
        this.pickEvent(run.eventPublisher[event]!, run.eventSequence[event]!);
        return;
      }
    }
  }

  pickNode(node: number): void {
    this.change({ node, tab: node >= 0 ? "node" : this.state.tab });
  }

  pickEvent(publisher: number, sequence: number): void {
    const event = this.runs[0]!.findEvent(publisher, sequence);
    this.change({ event: { publisher, sequence }, tab: "event", isPlaying: false });
    if (event >= 0) this.seek(this.runs[0]!.eventTime[event]!);
  }

  private zoomAll(transform: ZoomTransform): void {
    for (const scene of this.scenes) {
      if (scene.transform !== transform) scene.setTransform(transform);
    }
    this.isDirty = true;
  }

  private copyLink(): void {
    this.writeHash();
    const said = byId("copy");
    void navigator.clipboard?.writeText(location.href).then(
      () => (said.title = "Copied"),
      () => (said.title = "The address of the page is the link"),
    );
  }

  private writeHash(): void {
    if (location.protocol === "about:") return; // in a frame of a notebook
    history.replaceState(null, "", `#${toHash(this.state, this.runs)}`);
  }

  /** After something was chosen. */
  private update(): void {
    const { state } = this;
    document.documentElement.dataset["theme"] = state.theme;
    const key = state.event ? `${state.event.publisher}.${state.event.sequence}` : "";
    if (key !== this.journeysFor) {
      this.journeysFor = key;
      this.journeys = this.runs.map((run) => {
        const event = state.event ? run.findEvent(state.event.publisher, state.event.sequence) : -1;
        return event < 0 ? [] : journeysOf(run, event);
      });
    }
    for (const tab of document.querySelectorAll<HTMLButtonElement>("#tabs button")) {
      tab.setAttribute("aria-selected", String(tab.dataset["tab"] === state.tab));
    }
    byId("play").textContent = state.isPlaying ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", state.isPlaying ? "Pause" : "Play");
    byId("speed").textContent = `${Number(state.speed.toPrecision(3))}×`;
    if (!state.isPlaying) this.writeHash();
    this.panel.show(state, this.journeys);
    this.isDirty = true;
  }

  private tick(now: number): void {
    const passed = Math.min(100, now - this.last) / 1000;
    this.last = now;
    if (this.state.isPlaying) {
      this.state.time = Math.min(this.end, this.state.time + passed * this.state.speed);
      this.timeline.follow(this.state.time);
      this.isDirty = true;
      if (this.isOver && this.state.time >= this.end) this.change({ isPlaying: false });
      const isLive = this.state.tab === "node";
      if (isLive && now - this.panelAt > PANEL_INTERVAL && !byId("content").contains(document.activeElement)) {
        this.panelAt = now;
        this.panel.show(this.state, this.journeys);
      }
    }
    if (this.isDirty) this.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  private draw(): void {
    const start = performance.now();
    this.isDirty = false;
    this.writeCaptions();
    this.scenes.forEach((scene, i) => scene.draw(this.state, { journeys: this.journeys[i]!, frame: i === this.state.run ? this.state.frame : -1 }));
    this.timeline.draw(this.state, this.journeys);
    const digits = this.state.speed < 0.1 || this.state.frame >= 0 ? 6 : 2;
    byId("clock").textContent = this.runs[0]!.clock(this.state.time, digits);
    this.drawn++;
    this.drawing += performance.now() - start;
  }
}

/** Whether a key does something to what has the focus. */
function hasOwn(key: string, target: HTMLElement): boolean {
  if (target.matches("input[type=text], select")) return true;
  return (key === " " && target.matches("input, button, summary")) || (key.startsWith("Arrow") && target.matches("input[type=radio]"));
}

function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

function show(runs: Run[]): Viewer {
  const viewer = new Viewer(runs);
  Object.assign(window, { viewer, journeysOf });
  select("#loading").remove();
  document.body.dataset["ready"] = "true";
  return viewer;
}

/** Of a page that is served while its run goes on. */
async function startLive(): Promise<void> {
  document.body.dataset["live"] = "true";
  let viewer: Viewer | null = null;
  await follow((run) => {
    if (viewer) {
      viewer.renew(run);
    } else {
      viewer = show([run]);
      viewer.change({ isPlaying: true, tab: "run" });
    }
  });
  delete document.body.dataset["live"];
  const shown = viewer as Viewer | null; // the compiler does not see that it has been set
  if (shown) shown.finish();
  else byId("loading").textContent = "The run was over before there was anything to show.";
}

async function start(): Promise<void> {
  if (document.querySelector('script[type="application/x-mftpubsub-live"]')) return startLive();
  const scripts = [...document.querySelectorAll<HTMLScriptElement>('script[type="application/x-mftpubsub-run"]')];
  const runs: Run[] = [];
  for (const script of scripts) {
    runs.push(new Run(await decode(bytesOf(script.textContent.trim()))));
    script.remove();
  }
  show(runs);
}

start().catch((error: unknown) => {
  byId("loading").textContent = `This page cannot be shown: ${String(error)}`;
  throw error;
});
