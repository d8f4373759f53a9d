import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../base/random.ts';
import type { CertificateSigningRequest } from '../kube/types/certificates.ts';
import type { Node } from '../kube/types/core.ts';
import { createKeyPair } from '../pki/key.ts';
import { renderServingRequest } from '../sim/node/serving-certificate.ts';
import { judgeServing } from './serving-approver.ts';

const keyPair = createKeyPair(createSeededRandom('approver'));
const NODE: Node = {
  metadata: { name: 'n' },
  status: {
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: 'n' },
    ],
  },
};
const ask = (nodeName: string, ipAddress: string, username = `system:node:${nodeName}`): CertificateSigningRequest => {
  const { metadata, spec } = renderServingRequest({ nodeName, ipAddress }, keyPair);
  return { metadata, spec: { ...spec, username } };
};

const rows: readonly (readonly [string, CertificateSigningRequest, Node | undefined, RegExp | undefined])[] = [
  ['for what the Node reports', ask('n', '127.0.0.1'), NODE, undefined],
  ['for an address of somebody else', ask('n', '10.0.0.9'), NODE, /10\.0\.0\.9 is no address of the Node/],
  ['in the name of another', ask('n', '127.0.0.1', 'system:node:m'), NODE, /system:node:m asks for system:node:n/],
  ['before its Node is there', ask('n', '127.0.0.1'), undefined, /its Node is not there/],
  [
    'with a request that is none',
    { ...ask('n', '127.0.0.1'), spec: { ...ask('n', '127.0.0.1').spec, request: 'bm9uZQ==' } },
    NODE,
    /./,
  ],
];

describe('a serving certificate', () => {
  for (const [story, request, node, problem] of rows) {
    it(`is ${problem === undefined ? '' : 'not '}approved ${story}`, () => {
      const found = judgeServing(request, node);
      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', problem);
    });
  }
});
