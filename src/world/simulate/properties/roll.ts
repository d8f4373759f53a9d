/** S21: what stands on record about a Mac's configuration is what runs on it. */
import type { Property } from '../truth.ts';

export const recordedIsRunning: Property = {
  id: 'S21',
  promise: 'the configuration on the record of a Mac is the one that runs there',
  judge: () => {
    const bundles = new Map<string, string>();
    return (happening, truth) => {
      if (happening.is === 'configuration') bundles.set(happening.configuration.digest, happening.configuration.bundle);
      if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
      const { before, after } = happening.change;
      const hash = after?.status?.configHash;
      if (after === undefined || hash === undefined || hash === before?.status?.configHash) return undefined;
      const mac = truth.mac(after.metadata.name);
      // A Mac that is down, or fresh, was rebooted or wiped by others since it was looked at.
      if (mac?.isUp !== true || mac.epochFile === undefined || after.spec.release !== undefined) return undefined;
      const wanted = bundles.get(hash);
      if (wanted === undefined) return `${after.metadata.name} is recorded under ${hash}, which nobody configures`;
      return mac.bundle === wanted
        ? undefined
        : `${after.metadata.name} is recorded under ${hash}, and runs another agent`;
    };
  },
};
