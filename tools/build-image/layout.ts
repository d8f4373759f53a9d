/** The image in the form that registries and container runtimes read: an OCI image layout, packed as one tar file. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Architecture } from './architectures.ts';
import { keepMade } from './made.ts';
import { ENTRYPOINT, USER } from './parts.ts';
import { packTree, type Tree, treeOf } from './tree.ts';

export interface PlatformImage {
  readonly architecture: Architecture;
  /** The lowest first. */
  readonly layers: readonly Layer[];
}

export interface Layer {
  /** Compressed. */
  readonly content: Uint8Array;
  /** Of what is compressed. */
  readonly diffId: string;
}

export interface Labels {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

const LAYER_LEVEL = 6;
const OS_FIELD = 9;
const UNIX = 3;

export const makeLayer = async (project: string, tree: Tree): Promise<Layer> => {
  const tar = packTree(tree);
  const content = await keepMade(project, tar, async () => {
    const packed = await promisify(gzip)(tar, { level: LAYER_LEVEL });
    packed[OS_FIELD] = UNIX;
    return packed;
  });
  return { content, diffId: digestOf(tar) };
};

const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

const TYPES = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;

/** Without a time of its own: the same content is the same image. */
const CREATED = '1970-01-01T00:00:00Z';

/** glibc would keep freed memory for each thread apart, and would learn to keep large blocks too: neither came back. */
const ENV = [
  'PATH=/usr/local/bin',
  'HOME=/tmp',
  'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
  'MALLOC_ARENA_MAX=1',
  'MALLOC_MMAP_THRESHOLD_=65536',
  'MALLOC_TRIM_THRESHOLD_=65536',
];

export const packImage = (images: readonly PlatformImage[], labels: Labels): Buffer => {
  const blobs: Record<string, Uint8Array> = {};
  const put = (mediaType: string, content: Uint8Array) => {
    const digest = digestOf(content);
    blobs[`blobs/${digest.replace(':', '/')}`] = content;
    return { mediaType, digest, size: content.length };
  };
  const putJson = (mediaType: string, value: object) => put(mediaType, Buffer.from(JSON.stringify(value)));
  const annotations = labelsOf(labels);
  const manifests = images.map(({ architecture, layers }) => {
    const config = putJson(TYPES.config, renderConfig(architecture, { layers, annotations }));
    const manifest = putJson(TYPES.manifest, {
      ...{ schemaVersion: 2, mediaType: TYPES.manifest, config },
      layers: layers.map(({ content }) => put(TYPES.layer, content)),
      annotations,
    });
    return { ...manifest, platform: { architecture: architecture.name, os: 'linux' } };
  });
  const index = putJson(TYPES.index, { schemaVersion: 2, mediaType: TYPES.index, manifests, annotations });
  const named = { ...index, annotations: { 'org.opencontainers.image.ref.name': labels.version } };
  return packTree(
    treeOf({
      ...blobs,
      'index.json': JSON.stringify({ schemaVersion: 2, mediaType: TYPES.index, manifests: [named] }),
      'oci-layout': JSON.stringify({ imageLayoutVersion: '1.0.0' }),
    }),
  );
};

const labelsOf = ({ version, description, license }: Labels): Readonly<Record<string, string>> => ({
  'org.opencontainers.image.title': 'macfleet',
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': license,
});

const renderConfig = (
  { name }: Architecture,
  { layers, annotations }: Pick<PlatformImage, 'layers'> & { readonly annotations: Readonly<Record<string, string>> },
): object => ({
  ...{ created: CREATED, architecture: name, os: 'linux' },
  config: {
    ...{ User: `${USER.id}:${USER.id}`, Env: ENV, Entrypoint: ENTRYPOINT, WorkingDir: '/', Labels: annotations },
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  history: layers.map(() => ({ created: CREATED, created_by: 'npm run build:image' })),
});
