/** Generated files are exactly what the generator would write now. */
import { compareFiles } from '../../generate/compare.ts';
import { renderPages } from '../../generate/pages.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from '../../generate/render.ts';

import type { Rule, Tree } from '../tree.ts';

export interface Generator {
  /** In which every file is generated, beside the single ones that are rendered. */
  readonly folders: readonly string[];
  readonly render: (tree: Tree) => ReadonlyMap<string, string>;
}

export const generatedBy = ({ folders, render }: Generator): Rule => ({
  name: 'generated-fresh',
  check: (tree) => {
    const rendered = render(tree);
    const isGenerated = (path: string): boolean =>
      rendered.has(path) || folders.some((folder) => path.startsWith(`${folder}/`));
    const onDisk = new Map(tree.files.filter(({ path }) => isGenerated(path)).map(({ path, text }) => [path, text]));
    return compareFiles(rendered, onDisk).map(({ path, is }) => ({
      path,
      line: 1,
      message: `is ${is}; run "npm run generate" and commit what it writes`,
    }));
  },
});

const renderAll = ({ files }: Tree): ReadonlyMap<string, string> =>
  new Map([...renderDeployFiles(), ...renderPages(new Map(files.map(({ path, text }) => [path, text])))]);

export const generatedFresh = generatedBy({ folders: GENERATED_FOLDERS, render: renderAll });
