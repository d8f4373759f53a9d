/**
 * A Pod that says nothing about Nodes that are not ready or not reachable stays on one for five minutes (the plugin
 * DefaultTolerationSeconds).
 */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import type { Write } from '../gate.ts';
import { resourceOf } from './plugin.ts';

const KEYS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const EFFECT = 'NoExecute';
const TOLERATION_SECONDS = 300;

/** The Pod with what it tolerates; other objects as they are. */
export const tolerateBriefly = <T extends Fields>(write: Write, object: T): T => {
  if (resourceOf(write) !== 'pods' || write.subresource !== '' || write.operation === 'DELETE') return object;
  const spec = fieldsOf(object['spec']);
  const said = Array.isArray(spec['tolerations']) ? spec['tolerations'].filter(isRecord) : [];
  const missing = KEYS.filter((key) => !said.some((one) => isAbout(one, key)));
  if (missing.length === 0) return object;
  const added = missing.map((key) => ({
    ...{ key, operator: 'Exists', effect: EFFECT, tolerationSeconds: TOLERATION_SECONDS },
  }));
  return { ...object, spec: { ...spec, tolerations: [...said, ...added] } };
};

/** An empty key or effect means all of them. */
const isAbout = ({ key = '', effect = '' }: Fields, wanted: string): boolean =>
  (key === '' || key === wanted) && (effect === '' || effect === EFFECT);
