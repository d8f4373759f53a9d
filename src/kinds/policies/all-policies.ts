/** Every admission policy of ours. */
import { macHostGuard } from './mac-host-guard.ts';
import { machineTemplateImmutability } from './machine-template-immutability.ts';
import type { AdmissionPolicy } from './policy.ts';

export const ALL_POLICIES: readonly AdmissionPolicy[] = [machineTemplateImmutability, macHostGuard];
