/** Where Scaleway has Macs. */
export const ZONES = ['fr-par-1', 'fr-par-3'] as const;

/** Of the shape of a zone: Scaleway may open another tomorrow. */
export const isZone = (text: string): boolean => /^[a-z]{2}-[a-z]{3}-[1-9]$/.test(text);
