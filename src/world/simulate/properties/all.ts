/** All promises that are judged while a world runs. */
import type { Property } from '../truth.ts';
import { absenceNeverWipes } from './absence.ts';
import { acknowledgedSurvives, staleWritesConflict, watchesAreWhole } from './api.ts';
import { logsInByItself, ownPassword, secretsStaySecret, sudoBudget } from './credentials.ts';
import { oneAgentPerNode, pinnedHostKey, stableIdentity } from './identity.ts';
import {
  accountConserved,
  exclusiveClaim,
  finalizerFirst,
  noDirtyAdoption,
  noLiveWipe,
  pausedIsFrozen,
} from './ownership.ts';
import { provisionedHasJoined } from './provisioned.ts';
import { recordedIsRunning } from './roll.ts';
import {
  errorIsNoEmptiness,
  fencedLeader,
  foreignUntouched,
  poolMeansWiped,
  rebootBudget,
  writeAhead,
} from './writes.ts';

export const SAFETY: readonly Property[] = [
  ...[exclusiveClaim, noLiveWipe, noDirtyAdoption, accountConserved, pausedIsFrozen, finalizerFirst],
  ...[writeAhead, fencedLeader, stableIdentity, oneAgentPerNode],
  ...[foreignUntouched, rebootBudget, poolMeansWiped, errorIsNoEmptiness],
  ...[sudoBudget, ownPassword, pinnedHostKey, secretsStaySecret, logsInByItself],
  ...[recordedIsRunning, watchesAreWhole, staleWritesConflict, acknowledgedSurvives],
  ...[absenceNeverWipes, provisionedHasJoined],
];
