// Reads the blocks that views/viewer/columns.py writes.

export type Numbers = Uint8Array | Uint32Array | Int32Array;

interface ColumnInfo {
  name: string;
  type: "u1" | "u4" | "i4";
  filter: "plain" | "delta" | "xor";
  rows: number;
  width: number;
  offset: number;
}

/** What a block's header tells of its run (views/viewer/page.py). */
export interface Told {
  format: number;
  name: string;
  tick: number;
  duration: number;
  roles: string[];
  kinds: string[];
  causes: string[];
  faults: string[];
  untold: string[];
  protocol?: string;
  label?: string;
  config?: string;
  speed?: number;
  seed?: number;
  area?: [number, number];
  /** Of walls: from x, y to x, y; m. */
  walls?: [number, number, number, number][];
  metrics?: Record<string, number | null>;
  /** Of a network of wires: what its time counts (nothing in a laboratory), its processes' names, how fast wires are; */
  unit?: string;
  names?: string[];
  secondsPerByte?: number;
  /** a row of what a node knows and holds, from a time on: node, whom it is for, what it is; empty: it is gone; */
  states?: [number, number, string, string][];
  /** fields of frames of a protocol of one's own: values by name, each once (column frame.fields), */
  fields?: Record<string, string>[];
  /** of a laboratory: its messages in full, */
  texts?: string[];
  /** what was commanded at which step. */
  commands?: [number, string][];
  /** Of a run that is going on: how often it was looked at, how far it has come, and how many seconds a second. */
  live?: { looks: number; until: number; rate: number };
}

export interface Block {
  told: Told;
  columns: Map<string, Numbers>;
}

export async function decode(packed: BlobPart): Promise<Block> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer());
  const headerBytes = new DataView(content.buffer).getUint32(0, true);
  const header = new TextDecoder().decode(content.subarray(4, 4 + headerBytes));
  const { columns, ...told } = JSON.parse(header) as Told & { columns: ColumnInfo[] };
  if (told.format !== 1) {
    throw new Error(`this page reads format 1 of runs, not ${told.format}`);
  }
  const body = content.subarray(4 + headerBytes);
  return { told, columns: new Map(columns.map((info) => [info.name, read(info, body)])) };
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[i] = text.charCodeAt(i);
  }
  return bytes;
}

function read(info: ColumnInfo, body: Uint8Array): Numbers {
  const { rows, width } = info;
  const count = rows * width;
  if (info.type === "u1") {
    const bytes = body.slice(info.offset, info.offset + count);
    undo(info, bytes);
    return bytes;
  }
  const whole = new Uint32Array(count);
  const raw = body.subarray(info.offset, info.offset + 4 * count);
  const isShuffled = info.filter !== "plain";
  for (let i = 0; i < count; i++) {
    whole[i] = isShuffled
      ? raw[i]! | (raw[i + count]! << 8) | (raw[i + 2 * count]! << 16) | (raw[i + 3 * count]! << 24)
      : raw[4 * i]! | (raw[4 * i + 1]! << 8) | (raw[4 * i + 2]! << 16) | (raw[4 * i + 3]! << 24);
  }
  undo(info, whole);
  return info.type === "u4" ? whole : new Int32Array(whole.buffer);
}

/** Undoes a filter, in place; typed arrays wrap around as numpy's do. */
function undo({ filter, width }: ColumnInfo, values: Uint8Array | Uint32Array): void {
  if (filter === "delta") {
    for (let i = width; i < values.length; i++) {
      values[i] = values[i]! + values[i - width]!;
    }
  } else if (filter === "xor") {
    for (let i = width; i < values.length; i++) {
      values[i] = values[i]! ^ values[i - width]!;
    }
  }
}
