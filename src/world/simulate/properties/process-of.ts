/** How a process is called where it leads, and where it sends. */

/** Identities are `<actor>-<life>-<term>`, callers `<actor>#<life>`. */
export const processOf = (identity: string): string => identity.replace(/-(\d+)-\d+$/, '#$1');
