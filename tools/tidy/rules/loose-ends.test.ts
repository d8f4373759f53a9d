/** Samples of what was left for later. */
import { testRule } from '../testing/test-rule.ts';
import { looseEnds } from './loose-ends.ts';

testRule(looseEnds, [
  { story: 'a reason', files: { 'src/a.ts': '// TODO(needs a real Mac): measure\n' }, finds: [] },
  { story: 'the word in a string', files: { 'src/a.ts': "const x = 'TODO';\n" }, finds: [] },
  {
    story: 'an expected error with its reason',
    files: { 'src/a.ts': '// @ts-expect-error the set is closed\n' },
    finds: [],
  },
  { story: 'no reason', files: { 'src/a.ts': '\n// TODO: measure\n' }, finds: ['src/a.ts:2'] },
  { story: 'an empty reason', files: { 'src/a.ts': '// TODO( ): measure\n' }, finds: ['src/a.ts:1'] },
  {
    story: 'other words for the same',
    files: { 'src/a.ts': '/** FIXME soon */\n// HACK\n' },
    finds: ['src/a.ts:1', 'src/a.ts:2'],
  },
  {
    story: 'no reason in a script',
    files: { 'src/hosts/a.sh': '#!/bin/bash\necho # TODO\n' },
    finds: ['src/hosts/a.sh:2'],
  },
  {
    story: 'no reason in a script without an ending',
    files: { macfleet: '#!/bin/sh\n# TODO\n' },
    finds: ['macfleet:2'],
  },
  { story: 'an ignored error', files: { 'src/a.ts': '// @ts-ignore because\n' }, finds: ['src/a.ts:1'] },
  { story: 'an unchecked file', files: { 'src/a.ts': '// @ts-nocheck\n' }, finds: ['src/a.ts:1'] },
  {
    story: 'an expected error without a reason',
    files: { 'src/a.ts': '// @ts-expect-error\nx();\n' },
    finds: ['src/a.ts:1'],
  },
]);
