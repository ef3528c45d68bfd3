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
    [{ path: 'a', limit: 3 }, 'params/: unknown parameter "limit". The parameters are: path, lines.'],
    [{ path: '' }, 'params/path must be non-empty.'],
    [{}, 'params/: Instance does not have required property "path".'],
    [{ path: 'a', lines: '3' }, 'params/lines: Instance type "string" is invalid. Expected "integer".'],
  ])('%j says what to do', (args, problem) => {
    expect(() => tool.build(args)).toThrow(`Invalid parameters for take: ${problem}`);
  });
});

describe('a tool of four members', () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
  const signal = new AbortController().signal;
  const context = (onOutput: (chunk: string) => void = () => undefined) => ({
    callId: 'c',
    signal,
    onOutput,
    onPid: () => undefined,
  });

  it('gets a name to show, the kind every policy asks about, and its arguments as its description', () => {
    const tool = defineTool({ name: 'count', description: 'Counts.', schema, execute: ({ text }) => text });
    expect(tool).toMatchObject({ displayName: 'count', kind: 'other', isOutputMarkdown: true, canUpdateOutput: false });
    expect(tool.build({ text: 'a' }).describe()).toBe('{"text":"a"}');
    expect(tool.build({ text: 'x'.repeat(1000) }).describe()).toHaveLength(201);
    expect(tool.schema).toEqual({ name: 'count', description: 'Counts.', parametersJsonSchema: schema });
  });

  it.each([
    ['a string', () => 'two'],
    ['a promise of a string', async () => 'two'],
    ['a result without a display', async () => ({ llmContent: 'two' })],
  ])('may return %s, which model and person read', async (_what, execute) => {
    const tool = defineTool({ name: 'count', description: 'Counts.', schema, execute });
    await expect(tool.execute({ text: 'a b' })).resolves.toEqual({ llmContent: 'two', returnDisplay: 'two' });
  });

  it('shows the text of parts where the result says nothing else', async () => {
    const parts = [{ text: 'a ' }, { inlineData: { data: '', mimeType: 'image/png' } }, 'b'];
    const tool = defineTool({ name: 'parts', description: '', schema, execute: () => ({ llmContent: parts }) });
    expect((await tool.execute({ text: '' })).returnDisplay).toBe('a b');
  });

  it('may yield progress and return a string', async () => {
    const tool = defineTool({
      name: 'spell',
      description: 'Spells.',
      schema,
      async *execute({ text }) {
        yield* text;
        return `${text.length} letters`;
      },
    });
    const chunks: string[] = [];
    const result = await tool.build({ text: 'abc' }).execute(context((chunk) => chunks.push(chunk)));
    expect([chunks, result.llmContent, tool.canUpdateOutput]).toEqual([['a', 'b', 'c'], '3 letters', true]);
  });

  it('keeps an error of the result', async () => {
    const error = { message: 'no such word', type: 'execution_failed' as const };
    const tool = defineTool({ name: 'find', description: '', schema, execute: () => ({ llmContent: 'no', error }) });
    expect(await tool.execute({ text: '' })).toEqual({ llmContent: 'no', returnDisplay: 'no', error });
  });

  it('rejects when it throws at once', async () => {
    const sync = defineTool({
      name: 'throws',
      description: '',
      schema,
      execute(): string {
        throw new Error('at once');
      },
    });
    await expect(sync.execute({ text: '' })).rejects.toThrow('at once');
  });
});
