/** Changes that work under way makes to the durable record of its Mac, while others write to it too. */
import { FleetError, isKind } from '../../base/errors.ts';
import { MAC_HOSTS, type MacHost, type MacHostSpec } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';

const ATTEMPTS = 5;

export interface RecordChange {
  /** What to replace in the spec as it is now. */
  readonly change: (spec: MacHostSpec) => object;
  readonly signal: AbortSignal;
}

/** Read and written on what was read; refused when somebody else has begun to work on the Mac (R10). */
export const changeRecord = async (
  client: KubeClient,
  { metadata: { name, uid }, spec: { epoch } }: MacHost,
  { change, signal }: RecordChange,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const found = await client.get(MAC_HOSTS, { name }, { signal });
    if (found.spec.epoch !== epoch) throw overtaken(name, found.spec.epoch);
    const metadata = { uid, resourceVersion: found.metadata.resourceVersion };
    const body = { metadata, spec: change(found.spec) };
    try {
      await client.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
      return;
    } catch (error) {
      if (!isKind(error, 'conflict') || attempt === ATTEMPTS) throw error;
    }
  }
};

const overtaken = (name: string, epoch: number): FleetError =>
  new FleetError('conflict', {
    code: 'EpochRaised',
    message: `somebody else has begun to work on ${name}, under epoch ${epoch}`,
    hint: 'Nothing to do: this work ends here.',
  });
