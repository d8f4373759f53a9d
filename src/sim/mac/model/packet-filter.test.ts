/** pf of a simulated Mac, through pfctl as scripts use it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPacketFilter } from './packet-filter.ts';
import { createPfctl } from './pfctl.ts';
import { createMemoryFiles } from './testing/memory-files.ts';
import { commandRunner } from './testing/run-command.ts';

const STOCK = `scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;
const OURS = 'anchor "ours"\nload anchor "ours" from "/etc/pf.anchors/ours"\n';
const RULES = 'table <vms> { 192.168.64.0/22 }\nblock drop out quick from <vms> to any\n';

const stagePf = (more: Readonly<Record<string, string>> = {}) => {
  const files = createMemoryFiles({ '/etc/pf.conf': STOCK, '/etc/pf.anchors/com.apple': '', '/ours': RULES, ...more });
  const pf = createPacketFilter(files);
  pf.boot();
  return { pf, files, run: commandRunner({ pfctl: createPfctl(pf, files) }) };
};

/** Lines that load rules say so first. */
const ALTQ = 'No ALTQ support in kernel\nALTQ related functions disabled';

test("a boot loads pf.conf with its anchors, beside what is Apple's own", async () => {
  const { run } = stagePf({ '/etc/pf.conf': `${STOCK}${OURS}`, '/etc/pf.anchors/ours': RULES });
  assert.equal(await run('pfctl -a ours -sr'), '0 block drop out quick from <vms> to any');
  assert.equal(await run('pfctl -a ours -t vms -T show'), '0    192.168.64.0/22');
  assert.match(await run('pfctl -sr'), /anchor "com\.apple\/\*" all\nanchor "ours" all/);
  assert.equal(await run('pfctl -s Anchors'), '0   com.apple\n  ours');
  assert.match(await run('pfctl -v -a com.apple -s Anchors'), /250\.ApplicationFirewall/);
});

test('rules of an anchor count only where the running ruleset names it, and while pf is on', async () => {
  const { pf, run } = stagePf();
  assert.equal(await run('pfctl -a ours -f /ours'), `0 ${ALTQ}`);
  assert.equal(await run('pfctl -a com.apple/ours -f /ours'), `0 ${ALTQ}`);
  assert.deepEqual([pf.isEvaluated('ours'), pf.isEvaluated('com.apple/ours')], [false, false]);
  assert.match(await run('pfctl -E'), /^0 pf enabled\nToken : \d+/);
  assert.deepEqual([pf.isEvaluated('ours'), pf.isEvaluated('com.apple/ours')], [false, true]);
  assert.match(await run('pfctl -a com.apple/ours -vsr'), /Evaluations: [1-9]/);
  assert.match(await run('pfctl -a ours -vsr'), /Evaluations: 0/);
  assert.match(await run('pfctl -s info'), /Status: Enabled/);
  await run('pfctl -d');
  assert.equal(pf.isEvaluated('com.apple/ours'), false);
});

test('F46: a persist table in either scope keeps the rules out; killing both lets them in', async () => {
  const { pf, run } = stagePf();
  for (const scope of ['', 'ours']) pf.setTable(scope, { name: 'vms', persist: true, addresses: [] });
  const load = () => run('pfctl -a ours -f /ours');
  const busy = `1 ${ALTQ}\npfctl: cannot define table vms: Resource busy`;
  assert.equal(await load(), busy);
  await run('pfctl -F all');
  await run('pfctl -a ours -F Tables');
  assert.equal(await load(), busy, 'flushing does not help');
  assert.equal(await run('pfctl -a ours -t vms -T kill'), '0 1 table deleted.');
  assert.equal(await load(), busy, 'one scope is not enough');
  assert.equal(await run('pfctl -t vms -T kill'), '0 1 table deleted.');
  assert.equal(await load(), `0 ${ALTQ}`);
  assert.equal(await run('pfctl -t vms -T kill'), '255 pfctl: Table does not exist.');
});

test('I-22: a whole ruleset cannot be loaded over tables that are in use, and is counted', async () => {
  const { pf, run } = stagePf({ '/etc/pf.conf': `${STOCK}${OURS}`, '/etc/pf.anchors/ours': RULES });
  assert.match(await run('pfctl -f /etc/pf.conf'), /^1 .*Resource busy/s);
  assert.equal(pf.fullLoads(), 1);
});

test('I-08: a block that is there twice leaves a booted Mac without any rules', async () => {
  const { pf, run } = stagePf({ '/etc/pf.conf': `${STOCK}${OURS}${OURS}`, '/etc/pf.anchors/ours': RULES });
  await run('pfctl -E');
  assert.deepEqual(pf.rules(''), []);
  assert.equal(pf.isEvaluated('com.apple/250.ApplicationFirewall'), false);
});

const texts: readonly { readonly story: string; readonly text: string; readonly badLine?: number }[] = [
  { story: 'nothing', text: '' },
  { story: 'a comment behind a rule', text: 'pass in all # all of it\n' },
  { story: 'a table over several lines', text: 'table <a> persist {\n 10.0.0.0/8,\n 10.1.0.0/16 }\nblock in all\n' },
  { story: 'a macro and a set', text: 'ext = "en0"\nset skip on lo0\npass in all\n' },
  { story: 'a line end of another system', text: 'pass in all\r\n', badLine: 1 },
  { story: 'a comment with such a line end', text: '# fine\r\npass in all\n' },
  { story: 'a word that is none', text: 'pass in all\nlet in all\n', badLine: 2 },
  { story: 'translation behind a filter', text: 'pass in all\nnat on en0 from any to any -> en0\n', badLine: 2 },
  { story: 'a table of no addresses', text: 'table <a> { everything }\n', badLine: 1 },
  { story: 'a table that is never closed', text: 'table <a> { 10.0.0.0/8\n', badLine: 1 },
  { story: 'a quote that is never closed', text: 'anchor "a\n', badLine: 1 },
];
for (const { story, text, badLine } of texts) {
  test(`pfctl -nf ${badLine === undefined ? 'takes' : 'refuses'} ${story}, and changes nothing`, async () => {
    const { pf, run } = stagePf();
    const rules = pf.rules('');
    const refusal = `stdin:${badLine}: syntax error\npfctl: Syntax error in config file: pf rules not loaded`;
    assert.equal(await run('pfctl -nf -', text), badLine === undefined ? `0 ${ALTQ}` : `1 ${ALTQ}\n${refusal}`);
    assert.deepEqual(pf.rules(''), rules);
  });
}

test('only root gets at pf', async () => {
  const { run } = stagePf();
  assert.equal(await run('m1: pfctl -sr'), '1 pfctl: /dev/pf: Permission denied');
});
