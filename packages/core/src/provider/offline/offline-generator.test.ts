import { describe, expect, it } from 'vitest';
import type { Content, FunctionCall, FunctionResponse, GenerateContentResponse } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import type { OfflineFolder } from './folder.ts';
import { createOfflineGenerator } from './offline-generator.ts';
import { PREFACE } from './work.ts';

const ALL_TOOLS = ['list_directory', 'read_file', 'grep_search', 'glob', 'write_file', 'replace', 'run_shell_command'];

/** One request and all its frames. */
async function ask(contents: Content[], options: { tools?: string[]; folder?: OfflineFolder } = {}) {
  const { tools = [], folder } = options;
  const generator = createOfflineGenerator(folder ? { folder } : {});
  const stream = await generator.generateContentStream(
    {
      model: 'offline',
      contents,
      ...(tools.length > 0 && { config: { tools: [{ functionDeclarations: tools.map((name) => ({ name })) }] } }),
    },
    'p1',
    'main',
  );
  const frames: GenerateContentResponse[] = [];
  for await (const frame of stream) frames.push(frame);
  const parts = frames.flatMap((frame) => frame.candidates?.[0]?.content?.parts ?? []);
  return {
    frames,
    text: parts.flatMap((part) => (part.text && !part.thought ? [part.text] : [])).join(''),
    thoughts: parts.flatMap((part) => (part.text && part.thought ? [part.text] : [])).join(''),
    calls: parts.flatMap((part) => part.functionCall ?? []),
  };
}

/** Plays the agent: answers every call from `responses` until the model is done. */
async function converse(prompt: string, responses: FunctionResponse['response'][], tools = ALL_TOOLS) {
  const contents: Content[] = [user(prompt)];
  const calls: FunctionCall[] = [];
  const texts: string[] = [];
  for (;;) {
    const answer = await ask(contents, { tools });
    texts.push(answer.text);
    const [call] = answer.calls;
    if (!call) return { calls, texts };
    calls.push(call);
    const response = responses[calls.length - 1];
    if (!response) throw new Error('The test has no response left.');
    contents.push(
      { role: 'model', parts: [{ functionCall: call }] },
      { role: 'user', parts: [{ functionResponse: { name: call.name ?? '', response } }] },
    );
  }
}

function user(text: string): Content {
  return { role: 'user', parts: [{ text }] };
}

const folder: OfflineFolder = {
  async listDirectory() {
    return [
      { name: 'package.json', kind: 'file', size: 30 },
      { name: 'src', kind: 'folder', size: 4096 },
      { name: 'README.md', kind: 'file', size: 2048 },
    ];
  },
  async readText(path) {
    const files: Record<string, string> = {
      'package.json': '{"name":"demo","description":"A demo."}',
      'README.md': 'intro\n# Demo project\ntext `code`\n',
    };
    const text = files[path];
    if (text === undefined) throw new Error(`There is no file ${path} in this folder.`);
    return text;
  },
};

describe('the offline model without tools', () => {
  it('describes the folder it was given, after saying what it is', async () => {
    const { text, thoughts, calls } = await ask([user('What is in this folder?')], { folder });
    expect(text).toBe(
      [
        PREFACE,
        '',
        'This folder holds 1 folder and 2 files:',
        '',
        '- src/',
        '- README.md (2.0 kB)',
        '- package.json (30 bytes)',
        '',
        'package.json names it demo: A demo.',
        '',
        'README.md is titled “Demo project”.',
      ].join('\n'),
    );
    expect(thoughts).toContain('**Looking at the folder** Listing it.');
    expect(calls).toEqual([]);
  });

  it('finds text in the files of the folder', async () => {
    const { text } = await ask([user('find demo in the files')], { folder });
    expect(text).toBe(
      `${PREFACE}\n\nLines with “demo” in the files directly in this folder:\n\npackage.json:1: {"name":"demo","description":"A demo."}`,
    );
  });

  it('says so when a job needs tools it does not have', async () => {
    const { text, calls } = await ask([user('create a.txt with the text hi')], { folder });
    expect(text).toBe(
      `${PREFACE}\n\nThat did not work: that needs tools, and this run has none; I can only read this folder.`,
    );
    expect(calls).toEqual([]);
  });

  it('passes on the words of a folder that refuses', async () => {
    const { text } = await ask([user('show secret.txt')], { folder });
    expect(text).toBe(`${PREFACE}\n\nThere is no file secret.txt in this folder.`);
  });

  it('lists what it can do when it does not understand, and how to get a language model', async () => {
    const { text } = await ask([user('Why is the sky blue?')], { folder });
    expect(text.split('\n')[0]).toBe(PREFACE);
    expect(text).toContain('I do not understand this request.');
    expect(text).toContain('GEMINI_API_KEY=your-key castor -p "your prompt"');
  });
});

describe('the offline model with tools', () => {
  it('makes the calls of a prompt one after another and answers from their responses', async () => {
    const { calls, texts } = await converse('Create hello.txt with the text "hi", then show it', [
      { output: 'Successfully created and wrote to new file: /w/hello.txt.' },
      { output: 'hi' },
    ]);
    expect(calls).toEqual([
      { name: 'write_file', args: { file_path: 'hello.txt', content: 'hi' } },
      { name: 'read_file', args: { file_path: 'hello.txt' } },
    ]);
    expect(texts).toEqual([
      `${PREFACE}\n\n`,
      'Successfully created and wrote to new file: /w/hello.txt.\n\n',
      'hello.txt:\n\n```\nhi\n```',
    ]);
  });

  it.each<[string, FunctionCall]>([
    ['find a.b(c)', { name: 'grep_search', args: { pattern: 'a\\.b\\(c\\)' } }],
    ['find files named *.md', { name: 'glob', args: { pattern: '**/*.md' } }],
    ['run `git status`', { name: 'run_shell_command', args: { command: 'git status' } }],
    ['list the folder src', { name: 'list_directory', args: { dir_path: 'src' } }],
    [
      'replace "one" with "two" in a.txt',
      {
        name: 'replace',
        args: {
          file_path: 'a.txt',
          instruction: 'Replace “one” with “two”.',
          old_string: 'one',
          new_string: 'two',
        },
      },
    ],
  ])('asks for the call of %j', async (prompt, call) => {
    const { calls } = await converse(prompt, [{ output: 'done' }]);
    expect(calls).toEqual([call]);
  });

  it('counts what a truncated read says about the whole file', async () => {
    const output =
      'IMPORTANT: The file content has been truncated.\nStatus: Showing lines 1-2000 of 51234 total lines.\n' +
      'Action: read on.\n--- FILE CONTENT (truncated) ---\nfoo foo';
    const lines = await converse('count the lines in big.txt', [{ output }]);
    const words = await converse('count "foo" in big.txt', [{ output }]);
    expect([lines.texts[1], words.texts[1]]).toEqual([
      'There are 51234 lines in big.txt.',
      '“foo” occurs 2 times in the part that I received of big.txt.',
    ]);
  });

  it('counts one line as one', async () => {
    const { texts } = await converse('count the lines in a.txt', [{ output: 'hello\n' }]);
    expect(texts[1]).toBe('There is 1 line in a.txt.');
  });

  it('shows what a tool gave without the mark of untrusted text', async () => {
    const output = '<untrusted_context>\nOutput: one\ntwo\n</untrusted_context>';
    const { texts } = await converse('run ls', [{ output }]);
    expect(texts[1]).toBe('Output: one\ntwo');
  });

  it('reports a failed call in its own words', async () => {
    const { texts } = await converse('run false', [{ error: 'The user said no.' }]);
    expect(texts[1]).toBe('That did not work: The user said no.');
  });

  it('names a tool that is not declared instead of asking for it', async () => {
    const { calls, texts } = await converse('run ls', [], ['read_file']);
    expect(calls).toEqual([]);
    expect(texts).toEqual([
      `${PREFACE}\n\nThat did not work: the tool run_shell_command is not available in this run; allow it with -y or a policy.`,
    ]);
  });

  it('looks only at the newest prompt of a long conversation', async () => {
    const { calls } = await ask(
      [
        user('show a.txt'),
        { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { file_path: 'a.txt' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'a' } } }] },
        { role: 'model', parts: [{ text: 'a' }] },
        user('show b.txt'),
      ],
      { tools: ALL_TOOLS },
    );
    expect(calls).toEqual([{ name: 'read_file', args: { file_path: 'b.txt' } }]);
  });
});

describe('the offline model on the wire', () => {
  it('ends with a finish reason, usage and a response id, the same every time', async () => {
    const first = await ask([user('help')]);
    const second = await ask([user('help')]);
    expect(first).toEqual(second);
    expect(first.frames.at(-1)).toEqual({
      candidates: [{ finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 1,
        candidatesTokenCount: expect.any(Number) as number,
        thoughtsTokenCount: 0,
        totalTokenCount: expect.any(Number) as number,
      },
      modelVersion: 'offline',
      responseId: 'offline-p1-1',
    });
    expect(first.frames.length).toBeGreaterThan(10);
  });

  it('gives the whole answer unstreamed', async () => {
    const response = await createOfflineGenerator().generateContent(
      { model: 'offline', contents: [user('help')] },
      'p1',
      'main',
    );
    const text = response.candidates?.[0]?.content?.parts?.map((part) => part.text).join('');
    expect(text).toBe((await ask([user('help')])).text);
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const stream = await createOfflineGenerator().generateContentStream(
      { model: 'offline', contents: [user('help')], config: { abortSignal: controller.signal } },
      'p1',
      'main',
    );
    await stream.next();
    controller.abort();
    await expect(stream.next()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }) as Error);
  });

  it('refuses work of a language model rather than inventing a result', async () => {
    const generator = createOfflineGenerator();
    await expect(generator.embedContent({ model: 'offline', contents: ['a'] })).rejects.toBeInstanceOf(ApiError);
    await expect(
      generator.generateContent({ model: 'offline', contents: [user('help')] }, 'p1', 'utility_compressor'),
    ).rejects.toThrow('The offline model cannot do the work of utility_compressor.');
  });
});
