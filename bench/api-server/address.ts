/** What the API server of a benchmark is told, and where it is then found. */
import { isRecord } from '../../src/base/json.ts';

export interface ApiLoad {
  /** Custom objects of about 3 KB. */
  readonly objects: number;
  /** MODIFIED events that a watch delivers once `release` was called. */
  readonly events: number;
}

export interface ApiAddress {
  /** HTTPS, for the clients under measurement. */
  readonly server: string;
  readonly caPem: string;
  /** Plain HTTP, for the benchmark itself (control.ts); not counted. */
  readonly control: string;
}

export const parseApiAddress = (value: unknown): ApiAddress => {
  const { server, caPem, control } = isRecord(value) ? value : {};
  if (typeof server === 'string' && typeof caPem === 'string' && typeof control === 'string') {
    return { server, caPem, control };
  }
  throw new TypeError('this is no address of an API server');
};

export const parseApiLoad = (value: unknown): ApiLoad => {
  const { objects, events } = isRecord(value) ? value : {};
  if (typeof objects === 'number' && typeof events === 'number') return { objects, events };
  throw new TypeError('this is no load of an API server');
};
