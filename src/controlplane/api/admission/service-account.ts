/**
 * A Pod runs as a ServiceAccount: `default` when it names none, and the one it names must exist. Tokens are not mounted
 * into Pods here (an agent asks for them by TokenRequest), and Secrets that a controller would fill with a token are
 * refused, because there is no such controller.
 */
import { isRecord } from '../../../base/json.ts';
import { SECRETS } from '../../../kube/types/core.ts';
import { MIRROR_ANNOTATION } from '../../auth/node/node-graph.ts';
import { apiReferenceOf } from '../../auth/node/pod-references.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import type { Write } from '../gate.ts';
import { invalid, invalidValue } from '../refusal.ts';
import { type AdmissionDeps, refusedWrite, resourceOf } from './plugin.ts';

const DEFAULT_NAME = 'default';
const TOKEN_TYPE = 'kubernetes.io/service-account-token';

/** The object with its ServiceAccount named. Throws the refusal. */
export const nameServiceAccount = <T extends Fields>(write: Write, object: T, deps: AdmissionDeps): T => {
  if (write.operation !== 'CREATE' || write.subresource !== '') return object;
  const kind = resourceOf(write);
  if (kind === 'secrets') refuseTokenSecret(write, object);
  return kind === 'pods' ? withAccount(write, object, deps) : object;
};

const withAccount = <T extends Fields>(write: Write, pod: T, { store }: AdmissionDeps): T => {
  const annotations = fieldsOf(fieldsOf(pod['metadata'])['annotations']);
  if (Object.hasOwn(annotations, MIRROR_ANNOTATION)) return checkedMirror(write, pod);
  const spec = fieldsOf(pod['spec']);
  const { serviceAccountName, serviceAccount } = spec;
  const given = [serviceAccountName, serviceAccount].find((name) => typeof name === 'string' && name !== '');
  const name = String(given ?? DEFAULT_NAME);
  const isThere = store.get('/serviceaccounts', keyFor(write.namespace, name)) !== undefined;
  if (!isThere) {
    const where = `${write.namespace}/${name}`;
    throw refusedWrite(write, `error looking up service account ${where}: serviceaccount "${name}" not found`);
  }
  return isRecord(pod['spec']) ? { ...pod, spec: { ...spec, serviceAccountName: name, serviceAccount: name } } : pod;
};

/** A mirror Pod is the copy of what a Mac runs by itself; nothing of the API may be handed to it. */
const checkedMirror = <T extends Fields>(write: Write, pod: T): T => {
  const named = apiReferenceOf(pod);
  if (named === 'serviceaccounts') throw refusedWrite(write, 'a mirror pod may not reference service accounts');
  if (named === 'secrets') throw refusedWrite(write, 'a mirror pod may not reference secrets');
  if (named !== 'serviceaccounts (via projected volumes)') return pod;
  throw refusedWrite(write, 'a mirror pod may not use ServiceAccountToken volume projections');
};

const refuseTokenSecret = ({ name }: Write, { type }: Fields): void => {
  if (type !== TOKEN_TYPE) return;
  const why = `Secrets of this type are filled by a controller that the embedded control plane does not have; ask for a token with "kubectl create token <serviceaccount>"`;
  throw invalid(SECRETS, name, [invalidValue('type', type, why)]);
};
