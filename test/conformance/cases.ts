/** The whole table. */
import type { ConformanceCase } from './case.ts';
import { ACCESS } from './cases/access.ts';
import { ADMISSION } from './cases/admission.ts';
import { APPLY } from './cases/apply.ts';
import { CLIENTS } from './cases/clients.ts';
import { CUSTOM_KINDS } from './cases/custom-kinds.ts';
import { DEFINITIONS } from './cases/definitions.ts';
import { DELETION } from './cases/deletion.ts';
import { DISCOVERY } from './cases/discovery.ts';
import { ERRORS } from './cases/errors.ts';
import { EVENTS } from './cases/events.ts';
import { IMMUTABLE_FIELDS } from './cases/immutable-fields.ts';
import { LISTS } from './cases/lists.ts';
import { NODE_ACCESS } from './cases/node-access.ts';
import { PATCHES } from './cases/patch.ts';
import { POLICIES } from './cases/policies.ts';
import { SUBRESOURCES } from './cases/subresources.ts';
import { VALIDATION } from './cases/validation.ts';
import { VERBS } from './cases/verbs.ts';
import { WATCHES } from './cases/watch.ts';

export const CASES: readonly ConformanceCase[] = [
  ...DISCOVERY,
  ...VERBS,
  ...DELETION,
  ...PATCHES,
  ...APPLY,
  ...LISTS,
  ...WATCHES,
  ...VALIDATION,
  ...IMMUTABLE_FIELDS,
  ...ADMISSION,
  ...EVENTS,
  ...CUSTOM_KINDS,
  ...DEFINITIONS,
  ...SUBRESOURCES,
  ...ACCESS,
  ...NODE_ACCESS,
  ...POLICIES,
  ...ERRORS,
  ...CLIENTS,
];
