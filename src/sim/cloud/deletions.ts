/** The end of a server: not before its lease allows it, at once or at that time. */
import { toTimestamp } from '../../base/clock.ts';
import { type CloudCore, change, removeServer } from './cloud-core.ts';
import { tooEarly } from './refusals.ts';
import type { SimServer } from './sim-server.ts';

export const terminate = (core: CloudCore, { id, deletableAtMs }: SimServer): void => {
  if (core.clock.now() < deletableAtMs) throw tooEarly(core.earlyDelete, toTimestamp(deletableAtMs));
  removeServer(core, id);
};

export const scheduleDeletion = (core: CloudCore, { id }: SimServer, plan: 'delete' | 'keep'): SimServer => {
  core.state.deletions.get(id)?.();
  core.state.deletions.delete(id);
  const after = change(core, id, { isDeletionScheduled: plan === 'delete' });
  if (plan === 'delete') armDeletion(core, after);
  return after;
};

export const armDeletion = (core: CloudCore, { id, deletableAtMs }: SimServer): void => {
  const delayMs = Math.max(deletableAtMs - core.clock.now(), 0);
  core.state.deletions.set(
    id,
    core.clock.schedule(delayMs, () => removeServer(core, id)),
  );
};
