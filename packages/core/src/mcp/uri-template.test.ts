import { expect, it } from 'vitest';
import { firstVariable, fitsTemplate } from './uri-template.ts';

it.each<[string, string, boolean]>([
  ['db://users/7', 'db://users/{id}', true],
  ['db://users/', 'db://users/{id}', false],
  ['db://users/7/x', 'db://users/{id}', false],
  ['file:///a/b.txt', 'file:///{+path}', true],
  ['file:///a/b.txt', 'file:///{path*}', true],
  ['file:///a/b.txt', 'file:///{path}', false],
  ['db://users/7?full=1', 'db://users/{id}{?full}', true],
  ['db://users/7', 'db://users/{id}{?full}', true],
  ['db://t/users/r/7', 'db://t/{table}/r/{row}', true],
  ['dbx//users/7', 'db.//users/{id}', false],
  ['db://users/7', 'db://users/7', true],
  ['a'.repeat(30), '{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}', false],
])('%s fits %s: %j', (uri, template, fits) => {
  expect(fitsTemplate(uri, template)).toBe(fits);
});

it.each([
  ['db://users/{id}/{tab}', { before: 'db://users/', name: 'id' }],
  ['file:///{+path}', { before: 'file:///', name: 'path' }],
  ['db://all', undefined],
])('the first variable of %s', (template, expected) => {
  expect(firstVariable(template)).toEqual(expected);
});
