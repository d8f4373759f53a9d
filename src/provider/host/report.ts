/** What a pass says about a Mac, in its Ready condition. */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { Report } from '../../kube/controller/outcome.ts';

const { ready } = CONDITIONS.host;

/** It works; the message says what it waits for all the same. */
export const isReady = (message = ''): Report<MacHost> => ({
  condition: { type: ready, status: 'True', reason: REASONS.host.ready.ready, message },
});

export const notReady = (reason: string, message = ''): Report<MacHost> => ({
  condition: { type: ready, status: 'False', reason, message },
});
