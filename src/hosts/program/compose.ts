/**
 * The program that a batch runs on a Mac, as one text for `/bin/bash -c`: the library, a function for each step of the
 * batch, and the driver, which reads the batch's words and calls the functions (steps/driver.sh).
 */

/** The texts of src/hosts/steps. */
export interface StepFiles {
  readonly lib: string;
  readonly driver: string;
  /** By the id of the step. */
  readonly steps: Readonly<Record<string, string>>;
}

/** A step without a file gets no function; the driver answers for it. */
export const composeProgram = ({ lib, driver, steps }: StepFiles, ids: readonly string[]): string => {
  const functions = [...new Set(ids)].flatMap((id) => {
    const text = Object.hasOwn(steps, id) ? steps[id] : undefined;
    return text === undefined ? [] : [renderStep(id, text)];
  });
  return [lib, ...functions, driver].join('\n');
};

/** In a subshell of its own: what one step defines, no other sees. */
const renderStep = (id: string, text: string): string =>
  `step_${id.replaceAll('-', '_')}() (\n${text}\ndriver_run "$1"\n)`;
