import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { GenerateContentResponse } from '../protocol/content.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import {
  createFileAppender,
  createRecordingGenerator,
  createReplayGenerator,
  loadReplayGenerator,
} from './recorded-answers.ts';

const chunk = (text: string): GenerateContentResponse => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] } }],
});
const lines = (...recordings: object[]) => recordings.map((recording) => JSON.stringify(recording)).join('\n');
const STREAM = { method: 'generateContentStream', response: [chunk('a'), chunk('b')] };
const WHOLE = { method: 'generateContent', response: chunk('whole') };
const COUNT = { method: 'countTokens', response: { totalTokens: 3 } };
const EMBED = { method: 'embedContent', response: { embeddings: [{ values: [1, 2] }] } };

const request = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const whole = (generator: ContentGenerator) => generator.generateContent(request, 'p', 'main');
async function streamed(generator: ContentGenerator): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const item of await generator.generateContentStream(request, 'p', 'main')) chunks.push(item);
  return chunks;
}

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'castor-replay-'));
  folders.push(folder);
  return join(folder, 'responses.jsonl');
}

describe('createReplayGenerator', () => {
  it('answers each method from its line', async () => {
    const generator = createReplayGenerator(lines(STREAM, WHOLE, COUNT, EMBED));
    expect(await streamed(generator)).toEqual([chunk('a'), chunk('b')]);
    expect(await whole(generator)).toEqual(chunk('whole'));
    expect(await generator.countTokens(request)).toEqual({ totalTokens: 3 });
    expect(await generator.embedContent({ model: 'm', contents: ['x'] })).toEqual({ embeddings: [{ values: [1, 2] }] });
  });

  it('refuses a call out of order, and keeps the line for the one it is for', async () => {
    const generator = createReplayGenerator(lines(COUNT, WHOLE));
    await expect(whole(generator)).rejects.toMatchObject({
      message: 'The next mock response is for countTokens, but generateContent was called.',
      retryable: false,
    });
    expect(await generator.countTokens(request)).toEqual({ totalTokens: 3 });
  });

  it('takes the first unused line of the method when it is not strict', async () => {
    const second = { ...WHOLE, response: chunk('second') };
    const generator = createReplayGenerator(lines(COUNT, WHOLE, STREAM, second), { strict: false });
    expect(await streamed(generator)).toEqual(STREAM.response);
    expect(await whole(generator)).toEqual(chunk('whole'));
    expect(await whole(generator)).toEqual(chunk('second'));
    expect(await generator.countTokens(request)).toEqual({ totalTokens: 3 });
  });

  it.each([true, false])('says which request found no line left (strict: %s)', async (strict) => {
    const generator = createReplayGenerator('', { strict });
    const withSignal = { ...request, config: { abortSignal: new AbortController().signal, temperature: 1 } };
    await expect(generator.generateContentStream(withSignal, 'p', 'main')).rejects.toMatchObject({
      message: `No more mock responses for generateContentStream, got request:\n${JSON.stringify({ ...request, config: { temperature: 1 } })}`,
      retryable: false,
    });
  });

  it('skips blank lines and takes CRLF', async () => {
    const generator = createReplayGenerator(`\n${lines(WHOLE)}\r\n  \r\n\n${lines(COUNT)}\n`);
    expect(await whole(generator)).toEqual(chunk('whole'));
    expect(await generator.countTokens(request)).toEqual({ totalTokens: 3 });
  });

  it.each([
    ['{"method":', /^tape:2: .*JSON/],
    ['null', /^tape:2: "method" must be one of generateContent, .*, not undefined\.$/],
    ['{"method":"sing","response":{}}', /^tape:2: "method" must be one of .*, not "sing"\.$/],
    ['{"method":"generateContent","response":[]}', /^tape:2: "response" of generateContent must be an object\.$/],
    ['{"method":"countTokens"}', /^tape:2: "response" of countTokens must be an object\.$/],
    [
      '{"method":"generateContentStream","response":{}}',
      /^tape:2: "response" of generateContentStream must be an array of responses\.$/,
    ],
  ])('names the file and the line of %s', (line, message) => {
    expect(() => createReplayGenerator(`${lines(COUNT)}\n${line}`, { name: 'tape' })).toThrow(message);
  });

  it('ends with the signal, before and in the middle', async () => {
    const controller = new AbortController();
    const aborting = { ...request, config: { abortSignal: controller.signal } };
    const generator = createReplayGenerator(lines(STREAM, WHOLE));
    const stream = await generator.generateContentStream(aborting, 'p', 'main');
    await stream.next();
    controller.abort();
    await expect(stream.next()).rejects.toMatchObject({ name: 'AbortError' });
    await expect(generator.generateContent(aborting, 'p', 'main')).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('createRecordingGenerator', () => {
  it('writes a file that plays back what was answered, reduced to what matters', async () => {
    const path = await temporaryFile();
    const noisy = {
      ...STREAM,
      response: [{ ...chunk('a'), responseId: 'r1', modelVersion: 'v' }, { usageMetadata: { totalTokenCount: 7 } }],
    };
    const recorder = createRecordingGenerator(
      createReplayGenerator(lines(noisy, WHOLE, COUNT, EMBED)),
      createFileAppender(path),
    );
    expect(await streamed(recorder)).toEqual(noisy.response);
    await whole(recorder);
    await recorder.countTokens(request);
    await recorder.embedContent({ model: 'm', contents: ['x'] });

    const reduced = { ...STREAM, response: [chunk('a'), { usageMetadata: { totalTokenCount: 7 } }] };
    expect(await readFile(path, 'utf8')).toBe(`${lines(reduced, WHOLE, COUNT, EMBED)}\n`);
    const replayed = await loadReplayGenerator(path);
    expect(await streamed(replayed)).toEqual(reduced.response);
  });

  it('records no stream that was given up, and gives it up below', async () => {
    for (const begin of [true, false]) {
      const recorded: string[] = [];
      let released = false;
      async function* endless(): AsyncGenerator<GenerateContentResponse> {
        for (;;) yield chunk('x');
      }
      const inner = endless();
      const release = inner.return.bind(inner);
      inner.return = (value) => {
        released = true;
        return release(value);
      };
      const generator: ContentGenerator = { ...createReplayGenerator(''), generateContentStream: async () => inner };
      const recorder = createRecordingGenerator(generator, (line) => void recorded.push(line));
      const stream = await recorder.generateContentStream(request, 'p', 'main');
      if (begin) await stream.next();
      await stream.return(undefined);
      expect({ released, recorded }).toEqual({ released: true, recorded: [] });
    }
  });

  it('records no call that failed', async () => {
    const recorded: string[] = [];
    const recorder = createRecordingGenerator(createReplayGenerator(''), (line) => void recorded.push(line));
    await expect(whole(recorder)).rejects.toThrow('No more mock responses');
    expect(recorded).toEqual([]);
  });
});

describe('loadReplayGenerator', () => {
  it('names the file of a bad line', async () => {
    const path = await temporaryFile();
    await writeFile(path, 'nonsense\n');
    await expect(loadReplayGenerator(path)).rejects.toThrow(`${path}:1: `);
  });
});
