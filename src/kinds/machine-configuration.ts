/** What a machine may want of the configuration of its Mac. A host keeps a copy, taken when it is claimed. */
import { int32, object, text } from './schema/fields.ts';

const githubRunner = object(
  'Makes the Mac a GitHub Actions runner of its own, without virtual machines (builder fleets).',
  {
    ghOrg: text('GitHub organisation the runner registers with.').default('tuist'),
    ghRunnerLabels: text('Labels of the runner, separated by commas.').default(
      'self-hosted,macos,bare-metal,vm-image-builder',
    ),
    ghRunnerVersion: text('Version of the runner that is installed first; it updates itself afterwards.', {
      minLength: 1,
    }),
    ghAppSecretName: text(
      'Secret in the same namespace with app-id, installation-id and private-key of the GitHub App.',
    ).optional(),
  },
);

export const configurationFields = {
  hostCPU: int32('CPUs the Node advertises. 0 or absent: the number set on the manager.').optional(),
  hostMemoryMB: int32('Memory the Node advertises, in MiB. 0 or absent: the amount set on the manager.').optional(),
  ghActionsRunner: githubRunner.optional(),
};
