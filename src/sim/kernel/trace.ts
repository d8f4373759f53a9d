/**
 * What happened, twice: as a 64-bit FNV-1a hash over everything (two runs of one seed must agree), and as the last
 * few lines for a reader of a failure.
 */

export interface TraceLine {
  readonly atMs: number;
  readonly actor: string;
  readonly label: string;
  /** Shown in the dump, not hashed: it may hold what differs between runs, such as a stack. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface Trace {
  add(line: TraceLine): void;
  /** 16 hexadecimal digits. */
  hash(): string;
  /** The last lines, oldest first. */
  dump(): string;
}

export const createTrace = (linesMax: number): Trace => {
  const hash = createFnv1a64();
  const tail: TraceLine[] = [];
  let count = 0;
  return {
    add: (line) => {
      hash.addNumber(line.atMs);
      hash.addText(line.actor);
      hash.addText(line.label);
      if (linesMax > 0) tail[count % linesMax] = line;
      count += 1;
    },
    hash: hash.digest,
    dump: () => {
      const oldest = count > linesMax ? count % linesMax : 0;
      const lines = [...tail.slice(oldest), ...tail.slice(0, oldest)].map(renderLine);
      const left = count - lines.length;
      return (left > 0 ? [`… ${left} lines before these`, ...lines] : lines).join('\n');
    },
  };
};

const renderLine = ({ atMs, actor, label, fields }: TraceLine): string => {
  const extra = fields === undefined || Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  return `${(atMs / 1000).toFixed(3).padStart(12)} s  ${actor.padEnd(16)} ${label}${extra}`;
};

export interface Fnv1a64 {
  /** One step per UTF-16 unit; a closing 0 keeps "ab", "c" apart from "a", "bc". */
  addText(text: string): void;
  addNumber(value: number): void;
  digest(): string;
}

/**
 * FNV-1a over units of up to 32 bits: for ASCII text the same as over bytes. The state is two 32-bit halves, and the
 * prime is 2^40 + 0x1b3, so one step needs no big integers.
 */
export const createFnv1a64 = (): Fnv1a64 => {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const scratch = new DataView(new ArrayBuffer(8));

  const add = (unit: number): void => {
    low = (low ^ unit) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + (low << 8) + Math.floor(product / 2 ** 32)) | 0;
    low = product >>> 0;
  };
  return {
    addText: (text) => {
      for (let at = 0; at < text.length; at += 1) add(text.charCodeAt(at));
      add(0);
    },
    addNumber: (value) => {
      scratch.setFloat64(0, value);
      add(scratch.getUint32(0));
      add(scratch.getUint32(4));
    },
    digest: () => [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join(''),
  };
};
