/** How the parts of NodeRestriction answer: why not, or undefined. */
import type { Write } from '../../gate.ts';
import type { AdmissionDeps } from '../plugin.ts';

export type Judge = (write: Write, nodeName: string, deps: AdmissionDeps) => string | undefined;
