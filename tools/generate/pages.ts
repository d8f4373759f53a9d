/** Pages under docs/ that follow from the code, and copies of files. */
import { GITLEAKS_RULES, renderGitleaksRules } from '../secrets/gitleaks-rules.ts';
import { ALERTS_COPY, renderAlertsCopy } from './chart/alerts.ts';
import { CLI_PAGE, renderCliPage } from './cli-page.ts';
import { CONCEPTS_PAGE, renderConceptsPage } from './concepts-page.ts';
import { CORRECTNESS_PAGE, renderCorrectnessPage } from './correctness-page.ts';
import { collectErrorCodes } from './error-codes.ts';
import { ERROR_CODES_FILE, ERRORS_PAGE, renderErrorCodes, renderErrorsPage } from './errors-page.ts';
import { LIFE_PAGE, renderLifePage } from './life-page.ts';
import { POD_LIFE_PAGE, renderPodLifePage } from './pod-life-page.ts';
import { renderStepsPage, STEPS_PAGE } from './steps-page.ts';

export const PAGES: readonly string[] = [
  STEPS_PAGE,
  LIFE_PAGE,
  POD_LIFE_PAGE,
  CORRECTNESS_PAGE,
  ERRORS_PAGE,
  ERROR_CODES_FILE,
  ALERTS_COPY,
  CLI_PAGE,
  CONCEPTS_PAGE,
  GITLEAKS_RULES,
];

/** By path; `files` are those that pages are made from, and may be more, by path too. */
export const renderPages = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const codes = collectErrorCodes(files);
  return new Map([
    [STEPS_PAGE, renderStepsPage(files)],
    [LIFE_PAGE, renderLifePage()],
    [CORRECTNESS_PAGE, renderCorrectnessPage(files)],
    [POD_LIFE_PAGE, renderPodLifePage()],
    [ALERTS_COPY, renderAlertsCopy(files)],
    [CLI_PAGE, renderCliPage()],
    [CONCEPTS_PAGE, renderConceptsPage(files)],
    [GITLEAKS_RULES, renderGitleaksRules()],
    [ERRORS_PAGE, renderErrorsPage(codes)],
    [ERROR_CODES_FILE, renderErrorCodes(codes)],
  ]);
};
