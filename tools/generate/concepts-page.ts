/** docs/concepts.md: written by hand, but for its pictures, which come from the tables of the code. Pure. */
import { renderLifePicture } from './life-picture.ts';

export const CONCEPTS_PAGE = 'docs/concepts.md';

const PICTURES: Readonly<Record<string, () => string>> = { 'life of a Mac': renderLifePicture };

const PLACE = /(<!-- picture: ([^>]+?) -->\n)[\s\S]*?(<!-- end of picture -->)/g;

/** The page as it is, with every picture drawn anew. */
export const renderConceptsPage = (files: ReadonlyMap<string, string>): string =>
  (files.get(CONCEPTS_PAGE) ?? '').replace(PLACE, (_whole, begin: string, name: string, end: string) => {
    const draw = PICTURES[name];
    if (draw === undefined) throw new Error(`there is no picture "${name}" for ${CONCEPTS_PAGE}`);
    return `${begin}\n${draw()}\n\n${end}`;
  });
