// What stands beside the picture: guide, node, event, run.

import { arrivalsOf, type Journey } from "./journey";
import { classOf, FRAME_CLASSES, PALETTES, ROLE_LOOKS, trace } from "./looks";
import { countRowsUpTo, isReceived, type Run } from "./run";
import { causeInWords } from "./scene";
import type { State } from "./state";

/** What the panel asks the page to do. */
export interface Actions {
  seek(time: number, run?: number, frame?: number): void;
  pickNode(node: number): void;
  pickEvent(publisher: number, sequence: number): void;
  change(part: Partial<State>): void;
}

type Child = Node | string | null;

/** An element; `attributes` that are functions become listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string | boolean | ((event: Event) => void)>,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (typeof value === "boolean") element.toggleAttribute(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

const clock = (run: Run, time: number): string => (Number.isNaN(time) ? "–" : run.clock(time, time < 10 ? 4 : 3));
const wait = (time: number): string => (time < 0.1 ? `${(1000 * time).toFixed(1)} ms` : `${time.toFixed(2)} s`);

const hops = (count: number): string => (count === 1 ? "1 hop" : `${count} hops`);

function rows(pairs: [string, Child][]): HTMLElement {
  return h("table", {}, h("tbody", {}, ...pairs.map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value)))));
}

export class Panel {
  constructor(
    private readonly runs: Run[],
    private readonly element: HTMLElement,
    private readonly actions: Actions,
  ) {}

  /** Fills the panel anew: called when something was chosen, or the time stands still. */
  show(state: State, journeys: Journey[][]): void {
    const at = this.element.scrollTop;
    const parts = {
      guide: () => this.guide(state),
      node: () => this.node(state),
      event: () => this.event(state, journeys),
      run: () => this.about(),
    };
    const content = (parts[state.tab as keyof typeof parts] ?? parts.guide)();
    this.element.replaceChildren(...content);
    this.element.scrollTop = at;
  }

  private nodeLink(node: number, run: Run = this.runs[0]!): HTMLElement {
    return h("button", { class: "link", click: () => this.actions.pickNode(node) }, run.name(node));
  }

  private timeLink(time: number): HTMLElement {
    return h("button", { class: "link", click: () => this.actions.seek(time) }, clock(this.runs[0]!, time));
  }

  private frameLink(run: Run, frame: number): HTMLElement {
    const time = run.frameTime[frame]!;
    return h("button", { class: "link", click: () => this.actions.seek(time, this.runs.indexOf(run), frame) }, clock(run, time));
  }

  private perRun(of: (run: Run, index: number) => Child[]): HTMLElement[] {
    return this.runs.map((run, i) =>
      h("section", {}, this.runs.length > 1 ? h("h3", {}, `${"ABCDEF"[i]}: ${run.title}`) : null, ...of(run, i)),
    );
  }

  // ---- guide ----

  private guide(state: State): HTMLElement[] {
    const letters = new Set(this.runs.flatMap((run) => run.told.roles));
    const nodes = Object.entries(ROLE_LOOKS).filter(([name]) => letters.has(name));
    const signs: [string, string][] = [
      ["ring", "leader: the broker that its part of the network follows"],
      ["tree", "tree: from a broker to its parent"],
      ["client", "a client and its broker"],
      ["broken", "a parent that is out of reach by now"],
      ["queue", "events that wait at a node"],
      ["part", "parts of the network that cannot reach each other"],
      ["received", "received a frame"],
      ["interference", "lost it: interference"],
      ["notReceiving", "lost it: the radio was sending, or switched away"],
      ["bitError", "lost it: bit errors of a weak signal"],
    ];
    return [
      h("h2", {}, "Nodes"),
      h("ul", { class: "legend" }, ...nodes.map(([, look]) => h("li", {}, nodeSign(look.shape, look.fill), look.name))),
      h("h2", {}, "Signs"),
      h("ul", { class: "legend" }, ...signs.map(([name, text]) => h("li", {}, drawnSign(name, state.theme), text))),
      h("h2", {}, "Frames on the air"),
      this.kinds(state),
      h("h2", {}, "Links"),
      this.linkStyles(state),
      h("h2", {}, "Keys"),
      keys(),
    ];
  }

  private kinds(state: State): HTMLElement {
    const kinds = [...new Set(this.runs.flatMap((run) => run.told.kinds))];
    const toggle = (names: string[], isShown: boolean): void => {
      const hidden = new Set(state.hidden);
      for (const name of names) {
        if (isShown) hidden.delete(name);
        else hidden.add(name);
      }
      this.actions.change({ hidden });
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
      return h("li", {}, dot, h("span", { class: "sort" }, sort.name), h("span", { class: "boxes" }, ...boxes));
    });
    const only = h(
      "label",
      {},
      h("input", {
        type: "checkbox",
        checked: state.onlyNode,
        change: (event) => this.actions.change({ onlyNode: (event.target as HTMLInputElement).checked }),
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

  private linkStyles(state: State): HTMLElement {
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
          h("input", { type: "radio", name: "links", checked: state.links === value, change: () => this.actions.change({ links: value }) }),
          text,
        ),
      ),
    );
    return h("ul", { class: "legend" }, ...inputs);
  }

  // ---- node ----

  private nodeName(node: number): string {
    const run = this.runs.find((one) => node < one.nodes)!;
    return `${run.name(node)}: ${run.roleNames(node)}`;
  }

  private node(state: State): HTMLElement[] {
    const most = Math.max(...this.runs.map((run) => run.nodes));
    const choice = h(
      "select",
      { "aria-label": "Node", change: (event) => this.actions.pickNode(Number((event.target as HTMLSelectElement).value)) },
      h("option", { value: "-1" }, "choose a node"),
      ...Array.from({ length: most }, (_, node) =>
        h("option", { value: String(node), selected: node === state.node }, this.nodeName(node)),
      ),
    );
    const head = h("p", {}, choice);
    if (state.node < 0) return [head, h("p", { class: "hint" }, "Click a node in the picture, or choose one here.")];
    return [head, ...this.perRun((run) => (state.node < run.nodes ? this.nodeOf(run, state.node, state.time) : []))];
  }

  private nodeOf(run: Run, node: number, time: number): Child[] {
    const place = run.place(node, time, { x: 0, y: 0 });
    const parent = run.parent(node, time);
    const leader = run.leader(node, time);
    const children = Array.from({ length: run.nodes }, (_, other) => other).filter((other) => run.parent(other, time) === node);
    const facts: [string, Child][] = [["roles", run.roleNames(node)]];
    if (run.hasFilm && !run.isLaboratory) {
      facts.push(["at", `${place.x.toFixed(1)} m, ${place.y.toFixed(1)} m`]);
      facts.push(["is", run.isUp(node, time) ? "up" : "down"]);
    }
    facts.push([run.hasFilm ? "parent" : "went to", parent < 0 ? "–" : this.nodeLink(parent)]);
    if (leader >= 0) facts.push(["leader", leader === node ? "itself" : this.nodeLink(leader)]);
    if (children.length) facts.push(["children, clients", h("span", {}, ...children.flatMap((one) => [this.nodeLink(one), " "]))]);
    if (run.hasFilm && !run.isLaboratory) facts.push(["events waiting", String(run.queued(node, time))]);
    facts.push(...this.counters(run, node, time));
    if (run.isLaboratory) return [rows(facts), ...this.knowledge(run, node, time), ...this.traffic(run, node, time), ...this.lately(run, node, time)];
    return [rows(facts), ...this.traffic(run, node, time), ...this.neighbours(run, node, time), ...this.lately(run, node, time)];
  }

  /** A broker's table and queues, as transcripts print them. */
  private knowledge(run: Run, node: number, time: number): Child[] {
    const text = run.state(node, time);
    if (!text) return [];
    return [h("h4", {}, "Table and queues"), h("pre", {}, text)];
  }

  private counters(run: Run, node: number, time: number): [string, Child][] {
    const facts: [string, Child][] = [];
    const published = countRowsUpTo(run.eventsBy(node), run.eventTime, time);
    if (published) facts.push(["published", String(published)]);
    const pairs = [...run.pairsFor(node)];
    if (pairs.length) {
      const wanted = pairs.filter((pair) => run.pairWanted[pair] && run.eventTime[run.pairEvent[pair]!]! <= time);
      const got = pairs.filter((pair) => run.pairDelivered[pair]! <= time);
      const copies = pairs.reduce((sum, pair) => sum + countRowsUpTo(run.copiesOf(pair), run.copyTime, time), 0);
      facts.push(["wanted, delivered", `${wanted.length}, ${got.length}`], ["further copies", String(copies)]);
      const open = wanted.filter((pair) => !(run.pairDelivered[pair]! <= time)).slice(-12);
      if (open.length) {
        facts.push(["not here yet", h("span", {}, ...open.flatMap((pair) => [this.eventLink(run, run.pairEvent[pair]!), " "]))]);
      }
    }
    const moves = countRowsUpTo(run.movesOf(node), run.moveTime, time);
    if (moves) facts.push(["migrations", String(moves)]);
    return facts;
  }

  private eventLink(run: Run, event: number): HTMLElement {
    const [publisher, sequence] = [run.eventPublisher[event]!, run.eventSequence[event]!];
    return h("button", { class: "link", click: () => this.actions.pickEvent(publisher, sequence) }, `${publisher}.${sequence}`);
  }

  private traffic(run: Run, node: number, time: number): Child[] {
    const sent = run.sentUpTo(node, time);
    const most = Math.max(...sent);
    if (!most) return [];
    const bars = run.told.kinds
      .map((kind, i) => [kind, sent[i]!] as const)
      .filter(([, count]) => count)
      .sort((one, other) => other[1] - one[1])
      .map(([kind, count]) =>
        h(
          "tr",
          {},
          h("th", {}, kind),
          h("td", { class: "bar" }, h("span", { style: `width:${(100 * count) / most}%`, class: `sort${classOf(kind)}` }), String(count)),
        ),
      );
    return [h("h4", {}, "Frames sent so far"), h("table", {}, h("tbody", {}, ...bars))];
  }

  private neighbours(run: Run, node: number, time: number): Child[] {
    if (!run.hasFilm) return [];
    const instant = run.instantAt(time);
    const found = Array.from({ length: run.nodes }, (_, other) => other)
      .filter((other) => other !== node && run.isLinked(node, other, instant))
      .map((other) => ({
        other,
        to: run.hasHeard ? run.quality(node, other, time - 10, time + 10) : NaN,
        from: run.hasHeard ? run.quality(other, node, time - 10, time + 10) : NaN,
      }));
    const share = (value: number): string => (Number.isNaN(value) ? "–" : `${Math.round(100 * value)} %`);
    const lines = found.map(({ other, to, from }) => h("tr", {}, h("th", {}, this.nodeLink(other)), h("td", {}, share(to)), h("td", {}, share(from))));
    return [
      h("h4", {}, `${found.length} neighbours in reach`),
      h("table", { class: "neighbours" }, h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", {}, "hears this node"), h("th", {}, "is heard"))), h("tbody", {}, ...lines)),
      h("p", { class: "hint" }, "Shares of the frames sent within 10 s that were received whole."),
    ];
  }

  private lately(run: Run, node: number, time: number): Child[] {
    const frames = run.framesOf(node);
    const count = countRowsUpTo(frames, run.frameTime, time);
    const last = [...frames.subarray(Math.max(0, count - 8), count)].reverse();
    if (!last.length) return [];
    const lines = last.map((frame) => {
      const to = run.framePeer[frame]!;
      const kind = run.told.kinds[run.frameKind[frame]!]!;
      const fate = to < 0 || !run.hasHeard ? "" : isReceived(run.heard(frame, to)) ? "received" : "lost";
      return h("tr", {}, h("th", {}, this.frameLink(run, frame)), h("td", {}, `${kind} → ${to < 0 ? "all" : run.name(to)} ${fate}`));
    });
    return [h("h4", {}, "Its latest frames"), h("table", {}, h("tbody", {}, ...lines))];
  }

  // ---- event ----

  private event(state: State, journeys: Journey[][]): HTMLElement[] {
    return [this.eventChoice(state), ...this.perRun((run, i) => this.eventOf(run, state, journeys[i]!))];
  }

  private eventChoice(state: State): HTMLElement {
    const run = this.runs[0]!;
    const given = h("input", {
      type: "text",
      size: "9",
      "aria-label": "Event: publisher.sequence",
      placeholder: "0.17",
      value: state.event ? `${state.event.publisher}.${state.event.sequence}` : "",
      change: (event) => {
        const [publisher, sequence] = (event.target as HTMLInputElement).value.split(".").map(Number);
        if (Number.isInteger(publisher) && Number.isInteger(sequence)) this.actions.pickEvent(publisher!, sequence!);
      },
    });
    const step = (by: number, isLost: boolean): void => {
      const now = state.event ? run.findEvent(state.event.publisher, state.event.sequence) : -1;
      for (let event = now + by; event >= 0 && event < run.eventTime.length; event += by) {
        if (!isLost || [...run.pairsOf(event)].some((pair) => run.pairCause[pair])) {
          this.actions.pickEvent(run.eventPublisher[event]!, run.eventSequence[event]!);
          return;
        }
      }
    };
    return h(
      "p",
      { class: "choice" },
      "publisher.number ",
      given,
      " ",
      h("button", { click: () => step(-1, false), title: "The event before (P)" }, "‹"),
      h("button", { click: () => step(1, false), title: "The next event (N)" }, "›"),
      h("button", { click: () => step(1, true), title: "The next event that somebody did not get (L)" }, "next lost"),
    );
  }

  private eventOf(run: Run, state: State, journeys: Journey[]): Child[] {
    if (!state.event) return [h("p", { class: "hint" }, "Give an event, or take the next one.")];
    const event = run.findEvent(state.event.publisher, state.event.sequence);
    if (event < 0) return [h("p", {}, "This run has no such event.")];
    const got = journeys.filter((journey) => !Number.isNaN(journey.delivered)).length;
    const published = run.eventTime[event]!;
    const carried = run.carriedOf(event).length;
    const facts: [string, Child][] = [
      ["published", h("span", {}, this.timeLink(published), " by ", this.nodeLink(run.eventPublisher[event]!))],
      ["payload", `${run.eventBytes[event]} B`],
      ["delivered", `to ${got} of ${journeys.length} subscribers`],
    ];
    if (run.hasCarried) facts.push(["frames that carried it", String(carried)]);
    const order = [...journeys].sort((one, other) => (one.delivered || Infinity) - (other.delivered || Infinity));
    return [rows(facts), this.gantt(run, event, journeys), ...order.map((journey) => this.journey(run, event, journey))];
  }

  /** A bar for each subscriber: until it was matched, until it came. */
  private gantt(run: Run, event: number, journeys: Journey[]): HTMLElement {
    const start = run.eventTime[event]!;
    const longest = Math.max(0.001, ...journeys.map((one) => (Number.isNaN(one.delivered) ? 0 : one.delivered - start)));
    const lines = journeys.map((one) => {
      const share = (time: number): number => Math.min(100, Math.max(0, (100 * (time - start)) / longest));
      const matched = share(run.pairMatched[one.pair]!) || 0;
      const isLost = Number.isNaN(one.delivered);
      const bar = isLost
        ? [h("span", { class: "lost" }, "✕ " + run.told.causes[run.pairCause[one.pair]!])]
        : [
            h("span", { class: "until", style: `left:0;width:${matched}%` }),
            h("span", { class: "after", style: `left:${matched}%;width:${Math.max(0.6, share(one.delivered) - matched)}%` }),
          ];
      return h("tr", {}, h("th", {}, this.nodeLink(one.subscriber)), h("td", {}, h("div", { class: "gantt" }, ...bar)), h("td", {}, isLost ? "" : wait(one.delivered - start)));
    });
    return h(
      "div",
      {},
      h("table", { class: "ganttTable" }, h("tbody", {}, ...lines)),
      h("p", { class: "hint" }, "From publication: grey until a broker matched it for the subscriber, blue until it came."),
    );
  }

  private journey(run: Run, event: number, journey: Journey): HTMLElement {
    const isLost = Number.isNaN(journey.delivered);
    const head = isLost ? `Subscriber ${journey.subscriber}: never` : `Subscriber ${journey.subscriber}: ${wait(journey.delivered - run.eventTime[event]!)}, ${hops(run.pairHops[journey.pair]!)}`;
    const steps: Child[] = [];
    const matched = run.pairMatched[journey.pair]!;
    for (const hop of journey.hops) {
      const kind = run.told.kinds[run.frameKind[hop.frame]!]!;
      const waited = run.frameTime[hop.frame]! - hop.had;
      const tries = hop.attempts > 1 ? `, attempt ${hop.attempts}` : "";
      steps.push(
        h(
          "li",
          {},
          this.nodeLink(hop.from),
          " → ",
          this.nodeLink(hop.to),
          ` ${kind} `,
          this.frameLink(run, hop.frame),
          h("span", { class: waited > 0.5 ? "waited long" : "waited" }, ` after ${wait(waited)}${tries}`),
        ),
      );
    }
    if (!Number.isNaN(matched)) {
      steps.push(h("li", { class: "note" }, "matched by ", this.nodeLink(run.pairMatcher[journey.pair]!), " at ", this.timeLink(matched)));
    }
    if (isLost) steps.push(...this.missing(run, event, journey));
    else steps.push(h("li", { class: "note" }, "delivered at ", this.timeLink(journey.delivered), run.pairFrom[journey.pair]! >= 0 ? ` from ${run.pairFrom[journey.pair]}` : ""));
    if (!journey.isWhole && !isLost) {
      steps.push(h("li", { class: "note" }, run.hasCarried ? "a part of the way is not known" : "what frames carried is not known of this run"));
    }
    return h("details", { open: isLost }, h("summary", {}, head), h("ol", { class: "journey" }, ...steps));
  }

  /** What is known of a copy that never came. */
  private missing(run: Run, event: number, journey: Journey): Child[] {
    const cause = run.told.causes[run.pairCause[journey.pair]!]!;
    const reachable = run.pairReachable[journey.pair]!;
    const lines: Child[] = [h("li", { class: "lost" }, `${cause}: ${causeInWords(cause)}`)];
    lines.push(
      Number.isNaN(reachable)
        ? h("li", { class: "note" }, "no protocol could have brought it: there never was a way")
        : h("li", { class: "note" }, "a way over links in reach was there by ", this.timeLink(reachable)),
    );
    const holders = [...new Set(arrivalsOf(run, event).map((arrival) => arrival.to))];
    if (holders.length) lines.push(h("li", { class: "note" }, "had it: ", ...holders.flatMap((node) => [this.nodeLink(node), " "])));
    return lines;
  }

  // ---- run ----

  /** Commands, and the messages that follow from each; a click leads there. */
  private transcript(run: Run, index: number): Child[] {
    const commands = run.told.commands!.map(([step, text]) => ({ step, frame: -1, text }));
    const messages = run.told.texts!.map((text, frame) => ({ step: run.frameTime[frame]!, frame, text }));
    const lines = [...commands, ...messages].sort((one, other) => one.step - other.step || one.frame - other.frame);
    const shown = lines.map(({ step, frame, text }) =>
      h(
        "li",
        { class: frame < 0 ? "command" : "message" },
        h("button", { class: "link", click: () => this.actions.seek(step, index, frame) }, text.split("\n")[0]!),
      ),
    );
    return [h("ol", { class: "transcript" }, ...shown)];
  }

  private about(): HTMLElement[] {
    return this.perRun((run, i) => {
      if (run.isLaboratory) return this.transcript(run, i);
      const metrics = Object.entries(run.told.metrics ?? {}).map(([name, value]): [string, Child] => [
        name,
        value === null ? "–" : Number.isInteger(value) ? String(value) : value.toPrecision(4),
      ]);
      const counts: [string, Child][] = [
        ["nodes", String(run.nodes)],
        ["duration", `${run.told.duration} s`],
        ["frames", String(run.frameTime.length)],
        ["events", String(run.eventTime.length)],
      ];
      return [
        rows([...counts, ...metrics]),
        h("h4", {}, "What this page cannot tell"),
        h("ul", {}, ...run.told.untold.map((text) => h("li", {}, text))),
      ];
    });
  }
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
  const strokes = (context: CanvasRenderingContext2D, ...parts: [number, number, number, number][]): void => {
    context.strokeStyle = palette.lost;
    context.lineWidth = 2.4;
    context.beginPath();
    for (const [x0, y0, x1, y1] of parts) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
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
    part: (context) => {
      context.fillStyle = palette.parts[0]!;
      context.fillRect(1, 2, 12, 14);
      context.fillStyle = palette.parts[1]!;
      context.fillRect(15, 2, 12, 14);
    },
    received: (context) => circle(context, FRAME_CLASSES[0]!.colours[theme], 2),
    interference: (context) => strokes(context, [8, 3, 20, 15], [8, 15, 20, 3]),
    notReceiving: (context) => strokes(context, [8, 9, 20, 9]),
    bitError: (context) => strokes(context, [8, 15, 20, 3]),
  };
  return sign(paints[name]!);
}
