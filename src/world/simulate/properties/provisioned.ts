/** S42: who tells Cluster API that a machine is there has seen its Node (R22). */
import type { Property } from '../truth.ts';

const pairOf = (name: string, providerId: string): string => `${name} ${providerId}`;

export const provisionedHasJoined: Property = {
  id: 'S42',
  promise: 'a machine is provisioned only once its Mac has joined as its Node',
  judge: () => {
    const joined = new Set<string>();
    return (happening) => {
      if (happening.is !== 'object') return undefined;
      const { change } = happening;
      const { metadata, spec } = change.kind === 'nodes' || change.kind === 'machines' ? (change.after ?? {}) : {};
      const pair = pairOf(metadata?.name ?? '', spec?.providerID ?? '');
      if (change.kind === 'nodes') joined.add(pair);
      if (change.kind !== 'machines' || change.after === undefined) return undefined;
      const [was, is] = [change.before, change.after].map((one) => one?.status?.initialization?.provisioned === true);
      return is && !was && !joined.has(pair)
        ? `${metadata?.name} is provisioned, and its Mac has never joined`
        : undefined;
    };
  },
};
