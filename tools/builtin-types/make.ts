/** Adapter: the documents of a running API server and the sources in Go's module cache, made into the types of the built-in kinds. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConformanceApi } from '../../test/conformance/api.ts';
import type { ConformanceServer } from '../../test/conformance/servers/server.ts';
import { type Definitions, describeTypes } from './describe-types.ts';
import { readSources, type SourceFile } from './read-sources.ts';
import { renderTypes, type TypeLines } from './render-types.ts';
import { ROOT_TYPES, SOURCES } from './roots.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const GO = 'go';
const MODULE = join(REPOSITORY, 'tools/cluster/modules/kubernetes');

export const TYPES_FILE = join(REPOSITORY, 'src/controlplane/api/kinds/types/builtin-types.json');

export const makeBuiltinTypes = (definitions: Definitions, files: readonly SourceFile[]): TypeLines =>
  renderTypes(describeTypes(definitions, ROOT_TYPES), readSources(files));

/** All that the server's OpenAPI documents define. */
export const readDocuments = async (server: ConformanceServer): Promise<Definitions> => {
  const api = createConformanceApi(server);
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await api.request({ method: 'GET', path, headers: { accept: 'application/json' } });
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    return body;
  };
  try {
    const { paths } = parseIndex(await get('/openapi/v3'));
    const all: Definitions[] = [];
    for (const { serverRelativeURL } of Object.values(paths)) all.push(parseDocument(await get(serverRelativeURL)));
    return Object.assign({}, ...all);
  } finally {
    await api.close();
  }
};

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

const parseIndex = (body: unknown): Index => body as Index;

const parseDocument = (body: unknown): Definitions => {
  const { components } = body as { readonly components?: { readonly schemas?: Definitions } };
  return components?.schemas ?? {};
};

/** Of the very versions that the server is built from. Throws when Go or the sources are not there. */
export const readSourceFiles = (): readonly SourceFile[] => {
  const modules = [...new Set(SOURCES.map(([, module]) => module))];
  const listed = execFileSync(GO, ['list', '-m', '-f', '{{.Path}} {{.Dir}}', ...modules], {
    cwd: MODULE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const folders = new Map(
    listed
      .trim()
      .split('\n')
      .map((line): [string, string] => parsePair(line)),
  );
  return SOURCES.flatMap(([group, module, folder]) => {
    const dir = join(folders.get(module) ?? '', folder);
    const read = (file: string): string => readFileSync(join(dir, file), 'utf8');
    const goFiles = readdirSync(dir).filter((file) => /^types.*\.go$/.test(file));
    return [
      { group, language: 'proto' as const, text: read('generated.proto') },
      ...goFiles.map((file) => ({ group, language: 'go' as const, text: read(file) })),
    ];
  });
};

const parsePair = (line: string): [string, string] => {
  const [path = '', dir = ''] = line.split(' ');
  return [path, dir];
};
