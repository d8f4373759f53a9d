/** Reading the conditions of any kind, also of the older contract, whose conditions have less. Pure. */

export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly AnyCondition[] | undefined } | undefined;
}

export const conditionOf = ({ status }: Conditioned, type: string): AnyCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (object: Conditioned, type: string): boolean => conditionOf(object, type)?.status === 'True';

/** `NoAvailableHost: no free Mac in the pool`, or what there is of it. */
export const renderReason = ({ reason, message }: Pick<AnyCondition, 'reason' | 'message'>): string =>
  [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
