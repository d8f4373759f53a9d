/** Steps of a test that build on each other: they run as they are told, in whatever order the run takes its tests. */

export interface Story {
  step(name: string, run: () => Promise<void>): void;
  /** Runs all steps as subtests, one after the other; the first that fails is the last. */
  play(subtest: (name: string, run: () => Promise<void>) => Promise<void>): Promise<void>;
}

export const createStory = (): Story => {
  const steps: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  return {
    step: (name, run) => {
      steps.push({ name, run });
    },
    play: async (subtest) => {
      for (const { name, run } of steps) {
        let isDone = false;
        await subtest(name, async () => {
          await run();
          isDone = true;
        });
        if (!isDone) return;
      }
    },
  };
};
