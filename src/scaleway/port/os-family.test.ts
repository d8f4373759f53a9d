import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { osFamilyKey } from '../../macos/os-family-key.ts';
import { assertIsFamily, chooseOsImage, compareOsVersions, isOfFamily, type OsImage } from './os-family.ts';

const image = (name: string, version: string, fields: Partial<OsImage> = {}): OsImage => ({
  id: name,
  name,
  family: '',
  version,
  isBeta: false,
  ...fields,
});

describe('the key of a family (T-56)', () => {
  const rows = [
    ['Tahoe', 'tahoe'],
    [' tahoe ', 'tahoe'],
    ['macos-tahoe-26.6.1', 'tahoe'],
    ['macos-tahoe-26.6-beta', 'tahoe'],
    ['Golden Gate', 'goldengate'],
    ['golden_gate', 'goldengate'],
    ['macos-golden-gate-27.0', 'goldengate'],
    ['DevOS', 'devos'],
    ['devos-tahoe-2026.06.30', 'devostahoe'],
    ['', ''],
  ] as const;
  for (const [text, key] of rows) test(`of "${text}" is "${key}"`, () => assert.equal(osFamilyKey(text), key));
});

describe('an image (T-55)', () => {
  const rows = [
    { family: 'Tahoe', name: 'macos-tahoe-26.0', wanted: 'tahoe', fits: true },
    { family: '26', name: 'macos-tahoe-26.0', wanted: 'Tahoe', fits: true },
    { family: 'Tahoe', name: 'anything', wanted: 'macos-tahoe', fits: true },
    { family: 'DevOS', name: 'devos-tahoe-2026.06.30', wanted: 'Tahoe', fits: false },
    { family: 'Sequoia', name: 'macos-sequoia-15.6', wanted: 'Tahoe', fits: false },
    { family: 'Tahoe', name: 'macos-tahoe-26.0', wanted: '', fits: false },
    { family: '', name: '', wanted: '', fits: false },
  ];
  for (const { fits, wanted, ...shown } of rows) {
    test(`${shown.name} of "${shown.family}" ${fits ? 'fits' : 'does not fit'} the pin "${wanted}"`, () =>
      assert.equal(isOfFamily(shown, wanted), fits));
  }
});

describe('versions (T-54)', () => {
  const ascending = ['', '26', '26.6', '26.6.1', '26.7-alpha', '26.7-beta', '26.7', '26.10', '27.0'];
  for (const [at, older] of ascending.entries()) {
    for (const newer of ascending.slice(at + 1)) {
      test(`${older || 'none'} is older than ${newer}`, () => {
        assert.ok(compareOsVersions(older, newer) < 0);
        assert.ok(compareOsVersions(newer, older) > 0);
      });
    }
    test(`${older || 'none'} is as old as itself`, () => assert.equal(compareOsVersions(older, older), 0));
  }
});

describe('the image for a wiped Mac (T-52, T-53, I-19)', () => {
  const images = [
    image('macos-tahoe-26.3', '26.3'),
    image('macos-tahoe-26.10', '26.10'),
    image('macos-tahoe-26.6.1', '26.6.1'),
    image('macos-tahoe-27.0', '27.0', { isBeta: true }),
    image('devos-tahoe-2026.06.30', '2026.06.30', { family: 'DevOS' }),
    image('macos-next-28.0', '28.0', { isBeta: true, family: 'Next' }),
  ];
  test('is the newest of its family that is no beta', () =>
    assert.equal(chooseOsImage(images, 'Tahoe').name, 'macos-tahoe-26.10'));
  test('is a beta only when there is nothing else', () =>
    assert.equal(chooseOsImage(images, 'Next').name, 'macos-next-28.0'));
  test('does not depend on the order of the catalogue', () =>
    assert.equal(chooseOsImage(images.toReversed(), 'Tahoe').name, 'macos-tahoe-26.10'));
  test('is refused by name when nothing of the family is published (F33)', () => {
    assert.throws(
      () => chooseOsImage(images, 'Sonoma'),
      (error) => error instanceof FleetError && error.code === 'OsNotPublished' && /DevOS/.test(error.hint ?? ''),
    );
  });
});

test('T-57 a pin with a version is refused, and the family to use instead is named', () => {
  assertIsFamily('Tahoe');
  assert.throws(
    () => assertIsFamily('macos-tahoe-26.3'),
    (error) => error instanceof FleetError && error.hint === 'Pin the family "tahoe" instead.',
  );
});
