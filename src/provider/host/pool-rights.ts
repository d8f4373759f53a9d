/** Who may adopt from a pool (R26). */

/** The namespaces that may, by the prefix of the pool; every namespace from one that no rule is about. */
export type PoolNamespaces = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A Mac that a prefix fits is of every pool whose prefix is its beginning or goes on from it: each rule about one of these has to name the
 * namespace, or a longer prefix would be a way around the rule.
 */
export const mayAdopt = (rules: PoolNamespaces, prefix: string, namespace: string): boolean =>
  [...rules].every(([pool, namespaces]) => !isAlike(pool, prefix) || namespaces.has(namespace));

/** Whether one begins with the other: a server's name could fit both. */
export const isAlike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
