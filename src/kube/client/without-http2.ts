/**
 * Keeps undici from loading Node's HTTP/2, which our clients do not speak and which costs every process half a megabyte of memory.
 * To be imported before undici itself.
 */
import { createRequire, Module } from 'node:module';

const require = createRequire(import.meta.url);
const path = require.resolve('undici/lib/dispatcher/client-h2.js');

if (require.cache[path] === undefined) {
  const stub = new Module(path);
  stub.exports = (): never => {
    throw new TypeError('HTTP/2 was negotiated, although nobody offered it');
  };
  stub.loaded = true;
  require.cache[path] = stub;
}
