/** Names of images, as far as pulling needs them. Pure. */
import { FleetError } from '../../base/errors.ts';

export interface ImageReference {
  /** `ghcr.io`, with its port if it has one. */
  readonly host: string;
  /** Without tag and digest. */
  readonly repository: string;
  /** As Tart takes it: a digest makes a tag beside it void. */
  readonly pullName: string;
  /** `sha256:…` where the name pins one. */
  readonly digest?: string;
}

const PART = '[A-Za-z0-9]+(?:(?:[.]|-+|_{1,2})[A-Za-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?<repository>(?<host>${PART}(?::\\d+)?)(?:/${PART})+)(?::\\w[\\w.-]{0,127})?(?:@(?<digest>sha256:[0-9a-f]{64}))?$`,
);

/** Throws `invalid` for what no registry can have; a name without a slash would mean a VM of this Mac. */
export const parseImageReference = (image: string): ImageReference => {
  const { host, repository, digest } = IMAGE.exec(image)?.groups ?? {};
  if (host === undefined || repository === undefined) {
    throw new FleetError('invalid', {
      code: 'BadImageName',
      message: `${JSON.stringify(image.slice(0, 300))} is no image that Tart can pull`,
      hint: 'Write it as host/name:tag or host/name@sha256:….',
    });
  }
  if (digest === undefined) return { host, repository, pullName: image };
  return { host, repository, pullName: `${repository}@${digest}`, digest };
};

/** Without tag and digest, for any name; the port of a host stays. */
export const repositoryOf = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
