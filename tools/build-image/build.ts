/** Makes the image as one file, or the files of one processor's image in a folder. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { Architecture } from './architectures.ts';
import { findNewestBase, type readBase, readBaseLock, renderBaseLock } from './base.ts';
import { makeLayer, packImage } from './layout.ts';
import { makePrograms, readMacFiles, readSystem } from './parts.ts';
import { writeTree } from './tree.ts';

export interface BuildImageOptions {
  readonly project: string;
  readonly out: string;
  readonly architectures: readonly Architecture[];
  /** Tart as its makers pack it, if somebody gives it. */
  readonly tart?: string | undefined;
  readonly say: (line: string) => void;
}

const { version, description, license } = packageJson;
const ARCHIVE = `macfleet-${version}.oci.tar`;

export const buildImage = async ({ project, out, architectures, tart, say }: BuildImageOptions): Promise<void> => {
  const programs = await makePrograms(project, version);
  const shared = [await makeLayer(project, await readMacFiles(project, tart)), await makeLayer(project, programs)];
  const images = [];
  for (const architecture of architectures) {
    const system = await makeLayer(project, await readSystem(project, architecture));
    images.push({ architecture, layers: [system, ...shared] });
  }
  const archive = packImage(images, { version, description, license });
  await mkdir(out, { recursive: true });
  const put = async (name: string, content: Uint8Array): Promise<void> => {
    await writeFile(join(out, name), content);
    say(`${createHash('sha256').update(content).digest('hex')}  ${name}  ${content.length} bytes`);
  };
  await put(ARCHIVE, archive);
  await put('sbom.spdx.json', programs.files.get('opt/macfleet/sbom.spdx.json')?.content ?? new Uint8Array());
  if (tart === undefined)
    say(
      'without Tart, which a manager on Scaleway needs: give its release with --tart, or mount it (--tart-tarball-path)',
    );
};

export interface RootOptions extends Omit<BuildImageOptions, 'architectures'> {
  readonly architecture: Architecture;
  /** Without the Node.js for Macs, which takes a minute to pack. */
  readonly macs: 'in-it' | 'left-out';
  /** Where its libraries come from; as pinned unless given. */
  readonly libraries?: typeof readBase | undefined;
}

/** What a container of the image sees, as a folder of this machine. */
export const writeRoot = async (options: RootOptions): Promise<void> => {
  const { project, out, architecture, tart, macs, libraries } = options;
  writeTree(await readSystem(project, architecture, libraries), out);
  if (macs === 'in-it') writeTree(await readMacFiles(project, tart), out);
  writeTree(await makePrograms(project, version), out);
};

/** Names the versions that Debian has today in base.json. */
export const updateBase = async (project: string, say: (line: string) => void): Promise<void> => {
  const { distribution } = await readBaseLock(project);
  const packages = await findNewestBase(project);
  for (const { name, architecture, version: found } of packages) say(`${name} ${found} (${architecture})`);
  await writeFile(
    join(project, 'tools/build-image/base.json'),
    renderBaseLock({ distribution, packages: [...packages] }),
  );
};
