/** How releases of macOS are told apart: Scaleway, machines and images each write a family in their own way. */

/** The part of a family or an image's name that stays the same over its point releases: `macos-golden-gate-27.0` → `goldengate`. */
export const osFamilyKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^macos-/, '')
    .replace(/-(?=\d).*$/s, '')
    .replaceAll(/[\s_-]/g, '');
