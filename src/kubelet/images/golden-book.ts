/**
 * What is known of the bases on this Mac: which there are, what they were made of, and since when nobody needs them. Kept in
 * a file; a base that is not in it was made by an earlier agent and counts all the same.
 */
import { isRecord } from '../../base/json.ts';
import type { HostFiles } from '../host/host-files.ts';

export interface GoldenFacts {
  readonly image?: string;
  readonly digest?: string;
  readonly unneededSinceMs?: number;
}

export interface GoldenBook {
  /** Whether anybody looked yet. */
  isOpen(): boolean;
  /** All that are here, as of the last look. */
  names(): readonly string[];
  facts(golden: string): GoldenFacts | undefined;
  /** To be called before the Mac is looked at: what is put or dropped meanwhile counts more than what is then found. */
  look(): GoldenLook;
  put(golden: string, facts: GoldenFacts): Promise<void>;
  drop(golden: string): Promise<void>;
}

export interface GoldenLook {
  /** Nothing else is here. */
  found(names: readonly string[]): Promise<void>;
  /** The look is over, whatever came of it. */
  end(): void;
}

export const createGoldenBook = (files: HostFiles, path: string): GoldenBook => {
  let kept: Map<string, GoldenFacts> | undefined;
  const here = new Map<string, GoldenFacts>();
  /** Of each look under way: what changed since it began. */
  const looks = new Set<Set<string>>();
  const touch = (golden: string): void => {
    for (const changed of looks) changed.add(golden);
  };
  let saving = Promise.resolve();
  let saved = '';
  // One at a time, each with what is true when it begins.
  const save = (): Promise<void> => {
    saving = saving
      .catch(() => undefined)
      .then(async () => {
        const text = JSON.stringify(Object.fromEntries([...here].toSorted(byName)));
        if (text === saved) return;
        await files.writeText(path, text, { mode: 0o600 });
        saved = text;
      });
    return saving;
  };
  return {
    names: () => [...here.keys()].toSorted(),
    facts: (golden) => here.get(golden),
    isOpen: () => kept !== undefined,
    look: () => {
      const changed = new Set<string>();
      looks.add(changed);
      return {
        found: async (names) => {
          kept ??= parseBook(await files.readText(path));
          for (const name of here.keys()) if (!names.includes(name) && !changed.has(name)) here.delete(name);
          for (const name of names) if (!here.has(name) && !changed.has(name)) here.set(name, kept.get(name) ?? {});
          await save();
        },
        end: () => void looks.delete(changed),
      };
    },
    put: (golden, facts) => {
      touch(golden);
      here.set(golden, facts);
      return save();
    },
    drop: (golden) => {
      touch(golden);
      here.delete(golden);
      kept?.delete(golden);
      return save();
    },
  };
};

const byName = ([left]: readonly [string, GoldenFacts], [right]: readonly [string, GoldenFacts]): number =>
  left < right ? -1 : 1;

/** A book that cannot be read is an empty one: all it costs is a pull. */
const parseBook = (text: string | undefined): Map<string, GoldenFacts> => {
  const entries = Object.entries(parseJson(text));
  return new Map(entries.flatMap(([name, facts]) => (isRecord(facts) ? [[name, parseFacts(facts)] as const] : [])));
};

const parseJson = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
};

const parseFacts = ({ image, digest, unneededSinceMs }: Readonly<Record<string, unknown>>): GoldenFacts => ({
  ...(typeof image === 'string' ? { image } : {}),
  ...(typeof digest === 'string' ? { digest } : {}),
  ...(typeof unneededSinceMs === 'number' ? { unneededSinceMs } : {}),
});
