/**
 * An object's text in pieces. Pods of one template have the same spec, and what a manager sets is the same on all of its
 * objects: of a large fleet's text that is nine tenths. Each such piece is kept once for all objects that were written
 * about the same time.
 */
import { isRecord } from '../../base/json.ts';
import { createRecent, type ShareRecent } from '../../base/recent.ts';
import type { StoredObject } from './object.ts';

/** Joined they are the object's JSON. */
export type Pieces = readonly string[];

export type Encode = (object: StoredObject) => Pieces;

/** The fields of an object whose text may be that of others; in a list, those of each item. `after-time`: what follows its time may. */
type Places = 'shared' | 'after-time' | FieldPlaces;
type FieldPlaces = { readonly [field: string]: Places };

const PLACES: Places = { metadata: { managedFields: 'after-time' }, spec: 'shared' };

/** Shorter ones cost more to share than to repeat; longer ones would make a few that are remembered take much. */
const SHARED_CHARS_MIN = 128;
const SHARED_CHARS_MAX = 16 * 1024;
const REMEMBERED_MAX = 256;

const TIME = /"time":"[^"]*"/;

export const createEncode = (rememberedMax = REMEMBERED_MAX): Encode => {
  const share = createRecent<string>(rememberedMax);
  return (object) => {
    const writer = new PieceWriter(share);
    writer.write(object, PLACES);
    return writer.end();
  };
};

class PieceWriter {
  readonly #share: ShareRecent<string>;
  readonly #pieces: string[] = [];
  /** What belongs to this object alone, since the last shared piece. */
  #own: string[] = [];

  constructor(share: ShareRecent<string>) {
    this.#share = share;
  }

  write(value: unknown, places: Places | undefined): void {
    if (places === 'shared') this.#writeShared(JSON.stringify(value));
    else if (places === undefined) this.#own.push(JSON.stringify(value));
    else if (Array.isArray(value)) this.#writeList(value, places);
    else if (places === 'after-time') this.#writeAfterTime(JSON.stringify(value));
    else if (isRecord(value)) this.#writeFields(value, places);
    else this.#own.push(JSON.stringify(value));
  }

  end(): Pieces {
    // Joining makes one flat string of it; adding up would leave a tree of small ones.
    if (this.#own.length > 0) this.#pieces.push(this.#own.join(''));
    this.#own = [];
    return this.#pieces;
  }

  #writeShared(text: string): void {
    if (text.length < SHARED_CHARS_MIN || text.length > SHARED_CHARS_MAX) {
      this.#own.push(text);
      return;
    }
    this.end();
    this.#pieces.push(this.#share(text, text));
  }

  /** Wherever it is cut, it is the same text. */
  #writeAfterTime(text: string): void {
    const time = TIME.exec(text);
    const cut = time === null ? 0 : time.index + time[0].length;
    this.#own.push(text.slice(0, cut));
    this.#writeShared(text.slice(cut));
  }

  #writeList(items: readonly unknown[], places: Places): void {
    this.#own.push('[');
    for (const [at, item] of items.entries()) {
      if (at > 0) this.#own.push(',');
      this.write(item, places);
    }
    this.#own.push(']');
  }

  #writeFields(record: Readonly<Record<string, unknown>>, places: FieldPlaces): void {
    let lead = '{';
    for (const [name, value] of Object.entries(record)) {
      if (value === undefined) continue;
      this.#own.push(`${lead}${JSON.stringify(name)}:`);
      this.write(value, Object.hasOwn(places, name) ? places[name] : undefined);
      lead = ',';
    }
    this.#own.push(lead === '{' ? '{}' : '}');
  }
}
