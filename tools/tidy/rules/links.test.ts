/** Samples of links. */
import { testRule } from '../testing/test-rule.ts';
import { links } from './links.ts';

const FILES = { 'docs/a.md': '# A\n\n## Its `way`, and [out](a.md)', 'src/kube/queue.ts': '' };

testRule(links, [
  {
    story: 'files, folders, places in files, other sites, and links that are only shown as code',
    files: {
      ...FILES,
      'README.md':
        '# Here\n[a](docs/a.md) [b](docs/a.md#its-way-and-out) [c](./src/kube/) [d](https://x.y/z#q) [e](#here) `[f](gone.md)`\n```\n[g](gone.md)\n```\n',
    },
    finds: [],
  },
  { story: 'a way up from a folder', files: { ...FILES, 'docs/b.md': '[a](../src/kube/queue.ts)' }, finds: [] },
  { story: 'a file that is gone', files: { ...FILES, 'README.md': 'x\n\n[a](docs/gone.md)' }, finds: ['README.md:3'] },
  {
    story: 'a file that is gone, after code',
    files: { ...FILES, 'README.md': '```\nx\n```\n[a](docs/gone.md "title")' },
    finds: ['README.md:4'],
  },
  {
    story: 'headings that are gone, of this page and of another, and one that is only shown as code',
    files: { ...FILES, 'README.md': '[a](docs/a.md#x)\n[b](#here)\n[c](#shown)\n```sh\n# Shown\n```\n' },
    finds: ['README.md:1', 'README.md:2', 'README.md:3'],
  },
  { story: 'a path from the wrong folder', files: { ...FILES, 'docs/b.md': '[a](docs/a.md)' }, finds: ['docs/b.md:1'] },
]);
