/** What the Go original keeps in Secrets for each Mac: a password that may be none, and a token that never ends. */
import { LABEL_VALUES, LABELS } from '../../../kinds/labels.ts';
import type { Secret } from '../../../kube/types/core.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { AuditRule } from '../finding.ts';

const SEALED = '<sealed>';
const PASSWORD = 'sudo-password';
const BOOTSTRAP_SUFFIX = '-bootstrap';

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

/** Also where the marker is a part of the value, or percent-encoded in it. */
const isSealed = (value: string): boolean => {
  if (value.includes(SEALED)) return true;
  try {
    return decodeURIComponent(value).includes(SEALED);
  } catch {
    return false;
  }
};

export const sealedPassword: AuditRule = {
  code: 'SealedPassword',
  about: 'a staged password that is the marker <sealed> and no password',
  why: 'Handed to sudo it locks the account of the Mac until a reboot, and macOS replaces the automatic login by it.',
  needs: ['secrets'],
  judge: ({ secrets }) =>
    secrets
      .filter(({ metadata }) => metadata.name.endsWith(BOOTSTRAP_SUFFIX))
      .filter(({ data }) => isSealed(decode(data?.[PASSWORD] ?? '')))
      .map((secret) => {
        const { name, namespace } = secret.metadata;
        return {
          severity: 'page',
          subject: `secret/${renderKey(keyOf(secret))}`,
          what: 'its sudo-password is Scaleway’s marker for a password that is sealed',
          wayOut: [
            'Empty it, so that the password is read from Scaleway again (without the Secret the original waits for ever in silence):',
            `kubectl -n ${namespace} patch secret ${name} --type=merge -p '{"data":{"${PASSWORD}":""}}'`,
            'Macfleet keeps no password at all.',
          ],
        };
      }),
};

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT = 'kubernetes.io/service-account.name';
const ACCOUNT_PREFIX = 'tart-kubelet-';

/** The machine whose Mac holds the token; undefined for a Secret of anything else. */
const machineOfToken = ({ type, metadata }: Secret): string | undefined => {
  if (type !== TOKEN_TYPE) return undefined;
  const account = metadata.annotations?.[ACCOUNT] ?? '';
  if (account.startsWith(ACCOUNT_PREFIX)) return account.slice(ACCOUNT_PREFIX.length);
  const isAgents = metadata.labels?.[LABELS.component] === LABEL_VALUES.componentAgent;
  return isAgents ? metadata.labels?.[LABELS.machine] : undefined;
};

export const endlessToken: AuditRule = {
  code: 'EndlessToken',
  about: 'a Mac with a ServiceAccount token that never expires, as the Go original gives to each',
  why: 'Whoever gets it off a Mac, also off one that was given back unwiped, is in the cluster until somebody deletes it.',
  needs: ['secrets', 'machines'],
  judge: ({ secrets, machines }) => {
    const alive = new Set(machines.map(({ metadata }) => metadata.name));
    return secrets.flatMap((secret) => {
      const machine = machineOfToken(secret);
      if (machine === undefined) return [];
      const { name, namespace } = secret.metadata;
      const isGone = !alive.has(machine);
      const remove = `kubectl delete clusterrolebinding ${ACCOUNT_PREFIX}${machine} && kubectl -n ${namespace} delete secret/${name} serviceaccount/${ACCOUNT_PREFIX}${machine}`;
      return [
        {
          severity: isGone ? ('page' as const) : ('ticket' as const),
          subject: `secret/${renderKey(keyOf(secret))}`,
          what: isGone
            ? `the machine ${machine} is gone, and its token still opens the cluster`
            : `the Mac of ${machine} holds a token without an end`,
          wayOut: isGone
            ? [remove]
            : [
                'Take the fleet over (docs/compatibility.md): after its roll the Mac has a certificate of an hour, and the token goes by itself. Until then:',
                remove,
              ],
        },
      ];
    });
  },
};

/** What of a Secret an audit keeps: never anything that it does not judge. */
export const trimSecret = ({ metadata, type, data }: Secret): Secret => {
  const { name, namespace, labels, annotations } = metadata;
  const password = name.endsWith(BOOTSTRAP_SUFFIX) ? data?.[PASSWORD] : undefined;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...(type === undefined ? {} : { type }),
    ...(password === undefined ? {} : { data: { [PASSWORD]: isSealed(decode(password)) ? password : '' } }),
  };
};
