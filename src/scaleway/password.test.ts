import assert from 'node:assert/strict';
import test from 'node:test';
import { readPassword } from './password.ts';

const ROWS = [
  {
    story: 'the field, when it holds one',
    sudoPassword: 'abc123def456',
    vncUrl: 'vnc://m1:other@1.2.3.4:59010',
    is: 'abc123def456',
  },
  {
    story: 'the URL, when the field is empty',
    sudoPassword: '',
    vncUrl: 'vnc://m1:abc123@1.2.3.4:59010',
    is: 'abc123',
  },
  { story: 'the URL, when the field is absent', vncUrl: 'vnc://m1:abc123@1.2.3.4:59010', is: 'abc123' },
  {
    story: 'the URL, when the field is sealed',
    sudoPassword: '<sealed>',
    vncUrl: 'vnc://m1:abc123@1.2.3.4',
    is: 'abc123',
  },
  {
    story: 'the URL percent-decoded',
    sudoPassword: '<sealed>',
    vncUrl: 'vnc://m1:a%2Fb%40c@1.2.3.4:59010',
    is: 'a/b@c',
  },
  { story: 'a percent sign in the field as it is', sudoPassword: '100%', is: '100%' },
  { story: 'nothing, when the field is sealed and there is no URL', sudoPassword: '<sealed>' },
  { story: 'nothing, when both are sealed', sudoPassword: '<sealed>', vncUrl: '<sealed>' },
  { story: 'nothing, when the URL holds the marker as it is', vncUrl: 'vnc://m1:<sealed>@1.2.3.4:59010' },
  { story: 'nothing, when the URL holds the marker percent-encoded', vncUrl: 'vnc://m1:%3Csealed%3E@1.2.3.4:59010' },
  { story: 'nothing, when the marker is encoded twice', vncUrl: 'vnc://m1:%253Csealed%253E@1.2.3.4:59010' },
  { story: 'nothing, when the marker is part of a password', sudoPassword: 'x<sealed>', vncUrl: '' },
  { story: 'nothing, when the field holds the marker percent-encoded', sudoPassword: '%3Csealed%3E' },
  { story: 'nothing, when the URL cannot be decoded', vncUrl: 'vnc://m1:%ZZ@1.2.3.4:59010' },
  { story: 'nothing, when the URL names no password', vncUrl: 'vnc://m1@1.2.3.4:59010' },
  { story: 'nothing, when the URL names nobody', vncUrl: 'vnc://1.2.3.4:59010' },
  { story: 'nothing, when the URL is none', vncUrl: 'not a url' },
  { story: 'nothing, when all is empty', sudoPassword: '', vncUrl: '' },
] as const;

for (const { story, ...row } of ROWS) {
  test(`000-1 T-39 T-40 I-13 the password is ${story}`, () => {
    const { is, ...shown } = { is: undefined, ...row };
    assert.equal(readPassword(shown)?.reveal(), is);
  });
}
