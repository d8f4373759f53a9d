/**
 * Cluster API core's manifest, made fit for a process on the loopback: whatever points at its Service inside the cluster
 * points at our port instead, with our authority in the place of cert-manager's. Pure.
 */
import { parseAllDocuments } from 'yaml';
import { isRecord } from '../../../src/base/json.ts';

export interface WebhookPlace {
  readonly port: number;
  readonly caPem: string;
}

export interface CoreManifest {
  /** Namespace, CRDs, RBAC: before core starts. */
  readonly before: readonly Fields[];
  /** The webhook configurations: when core answers, or nobody could write anything. */
  readonly after: readonly Fields[];
}

type Fields = Readonly<Record<string, unknown>>;

/** What only makes sense for a Pod with cert-manager. */
const LEFT_OUT = ['Deployment', 'Service', 'Certificate', 'Issuer'];
const WEBHOOKS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

export const renderCoreManifest = (yaml: string, place: WebhookPlace): CoreManifest => {
  const objects = parseAllDocuments(yaml)
    .map((document): unknown => document.toJS())
    .filter(isRecord)
    .filter(({ kind }) => !LEFT_OUT.includes(String(kind)))
    .map((object) => redirectFields(object, place));
  const isWebhook = ({ kind }: Fields): boolean => WEBHOOKS.includes(String(kind));
  return { before: objects.filter((object) => !isWebhook(object)), after: objects.filter(isWebhook) };
};

/** Every `clientConfig` with a service, wherever it stands: of a webhook, or of a CRD's conversion. */
const redirect = (value: unknown, place: WebhookPlace): unknown => {
  if (Array.isArray(value)) return value.map((each) => redirect(each, place));
  return isRecord(value) ? redirectFields(value, place) : value;
};

const redirectFields = (object: Fields, place: WebhookPlace): Fields =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      (name === 'clientConfig' ? redirectConfig(value, place) : undefined) ?? redirect(value, place),
    ]),
  );

const redirectConfig = (config: unknown, { port, caPem }: WebhookPlace): Fields | undefined => {
  const service = isRecord(config) ? config['service'] : undefined;
  if (!isRecord(service)) return undefined;
  const path = String(service['path'] ?? '');
  return { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(caPem).toString('base64') };
};
