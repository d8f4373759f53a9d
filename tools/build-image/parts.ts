/** What is in the image, as folders: the system, what is put on Macs, and our programs. Each is a layer, the one that changes rarely first. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { bundleKubelet } from '../build-kubelet/bundle.ts';
import { packRuntime, readMacRuntime } from '../build-kubelet/runtime.ts';
import { parseLocked, readLock, readLockedFile } from '../packages/locked-package.ts';
import type { Architecture } from './architectures.ts';
import { readBase } from './base.ts';
import { bundleImage, FRONT_NAME } from './bundle.ts';
import { keepMade } from './made.ts';
import { findBundled, renderLicences, renderSbom } from './sbom.ts';
import { type Tree, treeOf } from './tree.ts';

export const NODE_PATH = '/usr/local/bin/node';
const LIB = 'opt/macfleet/lib';
/** The collector can be asked to give memory back after a burst (src/controlplane/idle-collection.ts). */
export const ENTRYPOINT: readonly string[] = [NODE_PATH, '--expose-gc', `/${LIB}/${FRONT_NAME}`];

/** Nobody's: not root, and of no name outside. */
export const USER = { id: 65_532, name: 'nonroot' } as const;

const ACCOUNTS = {
  'etc/passwd': `root:x:0:0:root:/:/nologin\n${USER.name}:x:${USER.id}:${USER.id}:${USER.name}:/tmp:/nologin\n`,
  'etc/group': `root:x:0:\n${USER.name}:x:${USER.id}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
} as const;

const ANYBODYS = 0o1777;

/** Node, its libraries, the roots that it trusts, and a user that is not root. There is no shell. */
export const readSystem = async (
  project: string,
  architecture: Architecture,
  readLibraries: typeof readBase = readBase,
): Promise<Tree> => {
  const { nodePackage } = architecture;
  const locked = parseLocked(await readLock(project), nodePackage);
  const base = await readLibraries(project, architecture);
  const own = treeOf(
    {
      ...ACCOUNTS,
      'etc/ssl/certs/ca-certificates.crt': `${rootCertificates.join('\n')}\n`,
      [NODE_PATH.slice(1)]: { content: await readLockedFile(project, locked, 'bin/node'), mode: 0o755 },
      'usr/share/doc/node/LICENSE': await readLockedFile(project, locked, 'LICENSE'),
    },
    { tmp: ANYBODYS },
  );
  return { files: new Map([...base.files, ...own.files]), folders: own.folders };
};

const ON_MACS = 'opt/tart-kubelet';
const TART = 'opt/tart/tart.tar.gz';

/** What is put on Macs and changes rarely. Tart is its makers': it is in the image when somebody gives it. */
export const readMacFiles = async (project: string, tart: string | undefined): Promise<Tree> => {
  const { program } = await readMacRuntime(project);
  return treeOf({
    [`${ON_MACS}/node-darwin-arm64.gz`]: await keepMade(project, program, async () => packRuntime(program)),
    ...(tart === undefined ? {} : { [TART]: await readFile(tart) }),
  });
};

const STEPS = 'src/hosts/steps';

/** Our programs and the agent for Macs, with what they are made of. */
export const makePrograms = async (project: string, version: string): Promise<Tree> => {
  const [programs, agent] = [await bundleImage(project), await bundleKubelet(project)];
  const bundled = await findBundled(project, [...programs.inputs, ...agent.inputs]);
  const scripts = (await readdir(join(project, STEPS))).filter((name) => name.endsWith('.sh'));
  const steps = scripts.map(async (name) => [`opt/macfleet/steps/${name}`, await readFile(join(project, STEPS, name))]);
  return treeOf({
    ...Object.fromEntries([...programs.files].map(([name, content]) => [`${LIB}/${name}`, content])),
    ...Object.fromEntries(await Promise.all(steps)),
    [`${ON_MACS}/tart-kubelet.mjs`]: agent.bytes,
    'opt/macfleet/LICENSE': await readFile(join(project, 'LICENSE')),
    'opt/macfleet/THIRD_PARTY_LICENSES': await renderLicences(project, bundled),
    'opt/macfleet/sbom.spdx.json': await renderSbom(project, { version, bundled }),
  });
};
