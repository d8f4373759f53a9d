/** The pages under docs/ that follow from the code. */
import { LIFE_PAGE, renderLifePage } from './life-page.ts';
import { renderStepsPage, STEPS_PAGE } from './steps-page.ts';

export const PAGES: readonly string[] = [STEPS_PAGE, LIFE_PAGE];

/** By path; `scripts` are those of the steps, by path too. */
export const renderPages = (scripts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([
    [STEPS_PAGE, renderStepsPage(scripts)],
    [LIFE_PAGE, renderLifePage()],
  ]);
