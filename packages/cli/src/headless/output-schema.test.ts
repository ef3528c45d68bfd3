import { createWorkspace } from '@castor/testkit';
import { expect, it } from 'vitest';
import { ExitError } from '../exit-codes.ts';
import { readOutputSchema } from './output-schema.ts';

function refusalOf(given: string, cwd: string): [number, string] | undefined {
  try {
    readOutputSchema(given, cwd);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [error.exitCode, error.message.replaceAll(`${cwd}/`, '')];
  }
}

const TYPES = 'string, number, integer, boolean, object, array, null';

it.each<[string, string, string]>([
  ['no JSON', '{\n  "type": }', 's.json:2:11: invalid schema: expected a string'],
  ['a list', '[]', 's.json:1:1: invalid schema: expected an object, { … }, and found a list.'],
  ['a blank file', ' \n', 's.json: the file is empty: write a JSON schema'],
  ['an unknown type', '{"type":"wat"}', `s.json:1: type: "wat" is not a type: write one of ${TYPES}.`],
  ['a type of another kind', '{"type":7}', 's.json:1: type: 7 is not a type'],
  ['a type inside', '{"items":\n{"type":["string","wat"]}}', 's.json:2: items.type: ["string","wat"] is not a type'],
  ['a pattern', '{"pattern":"("}', 's.json:1: pattern: the pattern is invalid: /(/u: Unterminated group.'],
  ['a pattern as a name', '{"patternProperties":{"[":{}}}', 's.json:1: patternProperties.[: the pattern is invalid'],
  ['properties', '{"properties":[]}', 's.json:1: properties: [] is not an object with a schema for each name.'],
  ['a property', '{"properties":{"a":"string"}}', 's.json:1: properties.a: "string" is not a schema'],
  ['required', '{"required":"a"}', 's.json:1: required: "a" is not a list of names.'],
  ['an empty choice', '{"anyOf":[]}', 's.json:1: anyOf: [] is not a list of schemas.'],
  ['an enumeration', '{"enum":"a"}', 's.json:1: enum: "a" is not a list of values.'],
  ['a limit', '{"minimum":"1"}', 's.json:1: minimum: "1" is not a number.'],
  ['a length', '{"maxLength":-1}', 's.json:1: maxLength: -1 is not a whole number from 0 on.'],
  [
    'a reference',
    '{"properties":{"a":\n{"$ref":"#/$defs/b"}}}',
    's.json:2: properties.a.$ref: "#/$defs/b" leads to nothing',
  ],
  [
    'another document',
    '{"$ref":"https://x.test/s.json"}',
    's.json:1: $ref: "https://x.test/s.json" is another document',
  ],
])('a schema with %s wrong is refused in one sentence with its place', async (_name, text, message) => {
  await using workspace = await createWorkspace({ files: { 's.json': text } });
  const [code, said] = refusalOf('s.json', workspace.project)!;
  expect(code).toBe(42);
  expect(said).toContain(`--output-schema: ${message}`);
});

it.each([
  '{}',
  '{"type":["object","null"],"properties":{"type":{"const":1},"$ref":{"type":"string"},"pattern":{"pattern":"^a$"}}}',
  '{"$defs":{"a/b":{"type":"string"}},"items":{"$ref":"#/$defs/a~1b"},"additionalProperties":false}',
  '{"items":[{"type":"string"},true],"if":{"required":["a"]},"then":true,"x-note":"(","enum":[{"$ref":7}]}',
  '{"$id":"https://x.test/s","properties":{"self":{"$ref":"#"},"by":{"$ref":"https://x.test/s#/$defs/a"}},"$defs":{"a":{}}}',
])('a schema that can be used is accepted: %s', async (text) => {
  await using workspace = await createWorkspace({ files: { 's.json': text } });
  expect(refusalOf('s.json', workspace.project)).toBeUndefined();
});
