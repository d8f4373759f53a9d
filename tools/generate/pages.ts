/** The pages under docs/ that follow from the code. */
import { CORRECTNESS_PAGE, renderCorrectnessPage } from './correctness-page.ts';
import { LIFE_PAGE, renderLifePage } from './life-page.ts';
import { POD_LIFE_PAGE, renderPodLifePage } from './pod-life-page.ts';
import { renderStepsPage, STEPS_PAGE } from './steps-page.ts';

export const PAGES: readonly string[] = [STEPS_PAGE, LIFE_PAGE, POD_LIFE_PAGE, CORRECTNESS_PAGE];

/** By path; `files` are those that pages are made from, and may be more, by path too. */
export const renderPages = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([
    [STEPS_PAGE, renderStepsPage(files)],
    [LIFE_PAGE, renderLifePage()],
    [CORRECTNESS_PAGE, renderCorrectnessPage(files)],
    [POD_LIFE_PAGE, renderPodLifePage()],
  ]);
