/** Generated files are exactly what the generator would write now. */
import { compareFiles } from '../../generate/compare.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from '../../generate/render.ts';
import type { Rule } from '../tree.ts';

export interface Generator {
  readonly folders: readonly string[];
  readonly render: () => ReadonlyMap<string, string>;
}

export const generatedBy = ({ folders, render }: Generator): Rule => ({
  name: 'generated-fresh',
  check: ({ files }) => {
    const generated = files.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)));
    const onDisk = new Map(generated.map(({ path, text }) => [path, text]));
    return compareFiles(render(), onDisk).map(({ path, is }) => ({
      path,
      line: 1,
      message: `is ${is}; run "npm run generate" and commit what it writes`,
    }));
  },
});

export const generatedFresh = generatedBy({ folders: GENERATED_FOLDERS, render: renderDeployFiles });
