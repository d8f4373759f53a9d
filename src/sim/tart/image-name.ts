/** The grammar of names: what has a slash is an image of a registry, everything else a local VM. Pure. */
import { runtimeError } from './tart-failure.ts';

export interface ImageName {
  readonly host: string;
  readonly namespace: string;
  /** Either of them: `:latest`, `@sha256:…`. */
  readonly reference: string;
}

const WORD = '[A-Za-z0-9]+(?:(?:[.]|[-]+|_{1,2})[A-Za-z0-9]+)*';
const NAME = new RegExp(
  `^(?<host>${WORD}(?::\\d+)?)/(?<namespace>${WORD}(?:/${WORD})*)(?<reference>:[\\w][\\w.-]*|@sha256:[0-9a-f]{64})?$`,
);

export const isRemote = (name: string): boolean => name.includes('/');

export const parseImageName = (name: string): ImageName => {
  const { host, namespace, reference = ':latest' } = NAME.exec(name)?.groups ?? {};
  if (host === undefined || namespace === undefined) throw runtimeError(`failed to parse remote name: ${name}`);
  return { host, namespace, reference };
};

export const renderImageName = ({ host, namespace, reference }: ImageName): string =>
  `${host}/${namespace}${reference}`;
