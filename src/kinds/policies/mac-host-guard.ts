/**
 * Who may write the spec of a MacHost (rule R2). It is our durable record, and a wrong word in it wipes a Mac, so the
 * manager alone writes it, with three exceptions for people. Each right is a verb on `machosts` that a Role can grant,
 * also for single hosts by name. Deleting needs no rule: a finalizer holds every host that is not free (R4), and only
 * the manager takes it off.
 */
import { FINALIZERS } from '../labels.ts';
import { MAC_HOSTS } from '../mac-host.ts';
import { macHostSpec } from '../mac-host-spec.ts';
import type { AdmissionPolicy } from './policy.ts';

/** Verbs on `machosts` besides those of Kubernetes. */
export const MAC_HOST_VERBS = {
  /** Write anything; for the manager. */
  manage: 'manage',
  /** Ask for a release, hold a host, or let it go again. */
  release: 'release',
  /** Ask for a reboot. */
  reboot: 'reboot',
  /** Create a MacHost, as a restore from a backup does. */
  restore: 'restore',
} as const;

const may = (verb: keyof typeof MAC_HOST_VERBS): string =>
  `authorizer.group('${MAC_HOSTS.group}').resource('${MAC_HOSTS.plural}').name(object.metadata.name).check('${MAC_HOST_VERBS[verb]}').allowed()`;

const isUnchanged = (field: string): string => `object.spec.?${field} == oldObject.spec.?${field}`;

const OPEN_FIELDS: readonly string[] = ['release', 'hold', 'rebootRequest'];

/** Taken from the schema, so that a new field is closed until somebody opens it. */
const closedFields = Object.keys(macHostSpec.shape).filter((field) => !OPEN_FIELDS.includes(field));

const hasFinalizer = (object: 'object' | 'oldObject'): string =>
  `'${FINALIZERS.macHost}' in ${object}.metadata.?finalizers.orValue([])`;

const UNLESS_UPDATE = "request.operation != 'UPDATE' || variables.mayManage";

export const macHostGuard: AdmissionPolicy = {
  name: 'macfleet-mac-host-guard',
  match: { resource: MAC_HOSTS, operations: ['CREATE', 'UPDATE'] },
  variables: [
    { name: 'mayManage', expression: may('manage') },
    { name: 'mayRelease', expression: may('release') },
    { name: 'mayReboot', expression: may('reboot') },
    { name: 'mayRestore', expression: may('restore') },
    { name: 'isRecordUnchanged', expression: closedFields.map(isUnchanged).join(' && ') },
  ],
  validations: [
    {
      expression: "request.operation != 'CREATE' || variables.mayManage || variables.mayRestore",
      message: `Only the manager creates a MacHost. To restore one from a backup you need the verb "${MAC_HOST_VERBS.restore}" on machosts.`,
      reason: 'Forbidden',
    },
    {
      expression: `${UNLESS_UPDATE} || variables.isRecordUnchanged`,
      message:
        'Only the manager writes the spec of a MacHost. People set spec.release, spec.hold and spec.rebootRequest; everything else is its record of this Mac.',
      reason: 'Forbidden',
    },
    {
      expression: `${UNLESS_UPDATE} || ${isUnchanged('release')} || (variables.mayRelease && !has(oldObject.spec.release))`,
      message: `To ask for a release you need the verb "${MAC_HOST_VERBS.release}" on machosts. A release that was asked for cannot be changed or taken back.`,
      reason: 'Forbidden',
    },
    {
      expression: `${UNLESS_UPDATE} || ${isUnchanged('hold')} || variables.mayRelease`,
      message: `To hold a MacHost, or to lift a hold, you need the verb "${MAC_HOST_VERBS.release}" on machosts.`,
      reason: 'Forbidden',
    },
    {
      expression: `${UNLESS_UPDATE} || ${isUnchanged('rebootRequest')} || variables.mayReboot`,
      message: `To ask for a reboot you need the verb "${MAC_HOST_VERBS.reboot}" on machosts.`,
      reason: 'Forbidden',
    },
    {
      expression: `${UNLESS_UPDATE} || !(${hasFinalizer('oldObject')}) || ${hasFinalizer('object')}`,
      message: `Only the manager takes the finalizer ${FINALIZERS.macHost} off a MacHost, once the Mac is free. To give the Mac back, set spec.release.`,
      reason: 'Forbidden',
    },
  ],
};
