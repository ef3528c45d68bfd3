import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';

describe('a tool that is called with wrong arguments', () => {
  const tool = defineTool({
    name: 'take',
    displayName: 'Take',
    kind: 'other',
    description: 'Takes.',
    schema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1 }, lines: { type: 'integer', minimum: 1 } },
      required: ['path'],
      additionalProperties: false,
    },
    describe: () => '',
    execute: async () => ({ llmContent: '', returnDisplay: '' }),
  });

  it.each<[Record<string, unknown>, string]>([
    [{ path: 'a', limit: 3 }, 'params/: there is no parameter "limit". The parameters are: path, lines.'],
    [{ path: '' }, 'params/path must be non-empty.'],
    [{}, 'params/: Instance does not have required property "path".'],
    [{ path: 'a', lines: '3' }, 'params/lines: Instance type "string" is invalid. Expected "integer".'],
  ])('%j says what to do', (args, problem) => {
    expect(() => tool.build(args)).toThrow(`Invalid parameters for take: ${problem}`);
  });
});
