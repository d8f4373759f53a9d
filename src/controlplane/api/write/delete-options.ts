/** How something is to be deleted: the options of a DELETE, from its body or, for old clients, from the query. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import type { Call } from '../call.ts';
import { checkDryRun, invalidOptions, isDryRun } from '../options.ts';
import { badRequest, invalidValue, notSupported, type Problem } from '../refusal.ts';

const PROPAGATIONS = ['Foreground', 'Background', 'Orphan'] as const;

export interface Deletion {
  readonly graceSeconds: number | undefined;
  readonly propagation: (typeof PROPAGATIONS)[number] | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: 'yes' | 'no';
}

export const PLAIN_DELETION: Deletion = {
  graceSeconds: undefined,
  propagation: undefined,
  preconditions: {},
  dryRun: 'no',
};

export const readDeletion = (call: Call): Deletion => {
  const body = call.body()?.value;
  return parseDeletion(call, { ...queryOptions(call), ...(isRecord(body) ? checkKind(body) : {}) });
};

const checkKind = (body: Fields): Fields => {
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = body;
  if (kind === 'DeleteOptions') return body;
  throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
};

const queryOptions = ({ query }: Call): Fields => {
  const grace = query.get('gracePeriodSeconds');
  const propagation = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    ...(grace !== null && { gracePeriodSeconds: /^-?\d+$/.test(grace) ? Number(grace) : grace }),
    ...(propagation !== null && { propagationPolicy: propagation }),
    ...(orphan !== null && { orphanDependents: orphan === 'true' }),
  };
};

/** DeleteOptions as they were sent, checked. An eviction carries them too. */
export const parseDeletion = (call: Call, options: Fields): Deletion => {
  const { gracePeriodSeconds: grace, propagationPolicy: policy, orphanDependents: orphan, dryRun } = options;
  if (grace !== undefined && grace !== null && !Number.isInteger(grace)) {
    throw badRequest(
      `json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  }
  const dry = Array.isArray(dryRun) ? dryRun : [];
  const problems: Problem[] = [...checkDryRun(dry)];
  const propagation = PROPAGATIONS.find((one) => one === policy);
  const isPolicyGiven = policy !== undefined && policy !== null;
  if (isPolicyGiven && typeof orphan === 'boolean') {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    problems.push(invalidValue('propagationPolicy', policy, why));
  } else if (isPolicyGiven && propagation === undefined) {
    problems.push(notSupported('propagationPolicy', policy, [...PROPAGATIONS, 'nil']));
  }
  if (problems.length > 0) throw invalidOptions('DeleteOptions', problems);
  const old = typeof orphan === 'boolean' ? (orphan ? 'Orphan' : 'Background') : undefined;
  return {
    graceSeconds: typeof grace === 'number' ? grace : undefined,
    propagation: propagation ?? old,
    preconditions: readPreconditions(fieldsOf(options['preconditions'])),
    dryRun: isDryRun(call) || dry.includes('All') ? 'yes' : 'no',
  };
};

const readPreconditions = ({ uid, resourceVersion: version }: Fields): Deletion['preconditions'] => ({
  ...(typeof uid === 'string' && { uid }),
  ...(typeof version === 'string' && { resourceVersion: version }),
});
