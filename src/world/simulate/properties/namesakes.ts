/** S10 before it is too late: machines of two namespaces that would be one Node do not both have a Mac (R6). */
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { Happening, Truth } from '../truth.ts';

/** Who has a Mac that is not on its way back. */
const claimOf = ({ spec }: MacHost): MacHost['spec']['claimRef'] =>
  spec.release === undefined ? spec.claimRef : undefined;

export const judgeNamesakes = (happening: Happening, truth: Truth): string | undefined => {
  if (happening.is !== 'object' || happening.change.kind !== 'hosts') return undefined;
  const { before, after } = happening.change;
  const claim = after && claimOf(after);
  if (claim === undefined || before?.spec.claimRef?.uid === claim.uid) return undefined;
  const other = truth
    .list('hosts')
    .map(claimOf)
    .find((one) => one?.name === claim.name && one.namespace !== claim.namespace);
  return (
    other && `machines of ${other.namespace} and ${claim.namespace} have a Mac, and both are the Node ${claim.name}`
  );
};
