import { expect, test } from 'vitest';
import { originOf, withOrigin } from './origin.ts';
import type { Origin } from './origin.ts';

const ORIGIN_OF_A: Origin = { provider: 'a', protocol: 'p', model: 'm', endpoint: 'a.example' };

test('an origin survives a spread and is absent from JSON and from structured clones', () => {
  const content = withOrigin({ role: 'model', parts: [{ text: 'hi' }] }, ORIGIN_OF_A);
  expect(originOf({ ...content })).toEqual(ORIGIN_OF_A);
  expect(JSON.stringify(content)).toBe('{"role":"model","parts":[{"text":"hi"}]}');
  expect(originOf(structuredClone(content))).toBeUndefined();
});

test('withOrigin copies: the content it receives stays as it is', () => {
  const plain = { role: 'model', parts: [] };
  const carrying = withOrigin(plain, ORIGIN_OF_A);
  expect(originOf(plain)).toBeUndefined();
  expect(originOf(withOrigin(carrying, undefined))).toBeUndefined();
  expect(originOf(carrying)).toBe(ORIGIN_OF_A);
});
