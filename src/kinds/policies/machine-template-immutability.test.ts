import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusals } from '../testing/cel-rules.ts';
import { TEMPLATE_UPDATES } from '../testing/template-updates.ts';
import { machineTemplateImmutability } from './machine-template-immutability.ts';

describe('a machine template', () => {
  for (const { story, refused, ...request } of TEMPLATE_UPDATES) {
    it(`${refused ? 'cannot' : 'can'} be changed by ${story}`, () => {
      const messages = refusals(machineTemplateImmutability, request);
      if (refused) assert.match(messages.join('\n'), /Create a template with another name/);
      else assert.deepEqual(messages, []);
    });
  }
});
