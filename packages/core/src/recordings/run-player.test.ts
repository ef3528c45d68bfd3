import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../provider/http/http-client.ts';
import { tapHttp } from '../provider/http/http-tap.ts';
import { parseRecording, RECORDING_FORMAT } from './recording-lines.ts';
import { RunPlayer } from './run-player.ts';
import { Scrubber } from './scrubber.ts';
import { createRandom } from './taped-clock.ts';

const folders: string[] = [];
afterEach(() => {
  tapHttp(undefined);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const START = {
  ...{ type: 'start', format: RECORDING_FORMAT, castor: '0', started: 1_000, seed: 1, argv: [], stdin: '' },
  ...{ folder: 'f', slug: 'f', isGitRepository: false, timezone: 'UTC', environment: {}, names: [] },
};
const request = (id: number, body: string) => ({
  ...{ type: 'request', id, at: id * 10, method: 'POST', url: 'http://nowhere.invalid/', headers: {}, body },
});
const response = (id: number, text: string) => ({
  ...{
    type: 'response',
    id,
    at: id * 10 + 5,
    status: 200,
    statusText: 'OK',
    headers: {},
    chunks: [[id * 10 + 1, text]],
  },
});
const END = { type: 'end', at: 99, exitCode: 0, changes: [] };

function play(lines: readonly object[]) {
  const root = mkdtempSync(join(tmpdir(), 'castor-player-'));
  folders.push(root);
  const recording = parseRecording([START, ...lines].map((line) => JSON.stringify(line)).join('\n'), 'r');
  const scrubber = new Scrubber({ workspace: [root], home: [], environment: {} });
  const player = new RunPlayer({ recording, root, home: '/h', scrubber, isLenient: false, isTimed: false });
  tapHttp(player.http);
  const client = createHttpClient();
  const ask = async (body: string) => {
    const answer = await client.post({ url: new URL('http://nowhere.invalid/'), headers: {}, body: Buffer.from(body) });
    const pieces: Buffer[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  return { player, ask };
}

describe('a player', () => {
  it('answers from the recording, at the recorded time', async () => {
    const { player, ask } = play([request(1, 'a'), response(1, 'A'), END]);
    expect(await ask('a')).toBe('A');
    expect(player.clock.now()).toBe(1_015);
    player.end(0);
    expect(player.report()).toEqual({ requests: 1, calls: 0, changes: 0, isPartial: false });
  });

  it('has no way to the network: what is not recorded is a difference, once and for all', async () => {
    const { player, ask } = play([request(1, 'a'), response(1, 'A'), END]);
    await ask('a');
    await expect(ask('b')).rejects.toMatchObject({ message: 'The replay stopped here.', retryable: false });
    await expect(ask('a')).rejects.toThrow('The replay stopped here.');
    expect(player.report().difference).toMatchObject({ kind: 'missing' });
  });

  it('accepts either order of what ran at the same time, and answers in the recorded one', async () => {
    const lines = [request(1, 'a'), request(2, 'b'), response(2, 'B'), response(1, 'A'), END];
    const { player, ask } = play(lines);
    const ended: string[] = [];
    await Promise.all([ask('b').then((text) => ended.push(text)), ask('a').then((text) => ended.push(text))]);
    expect(ended).toEqual(['B', 'A']);
    player.end(0);
    expect(player.report().difference).toBeUndefined();
  });

  it('does not accept another order of what came one after the other', async () => {
    const { player, ask } = play([request(1, 'a'), response(1, 'A'), request(2, 'b'), response(2, 'B'), END]);
    await expect(ask('b')).rejects.toThrow('The replay stopped here.');
    expect(player.report().difference).toMatchObject({ kind: 'order' });
  });

  it('names what did not happen, and another exit code', async () => {
    const one = play([request(1, 'a'), response(1, 'A'), END]);
    one.player.end(0);
    expect(one.player.report().difference).toMatchObject({ kind: 'missing' });
    const other = play([request(1, 'a'), response(1, 'A'), END]);
    await other.ask('a');
    other.player.end(1);
    expect(other.player.report().difference).toMatchObject({ kind: 'exit', expected: '0', actual: '1' });
  });

  it('compares a run that died up to its last line', async () => {
    const { player, ask } = play([request(1, 'a'), response(1, 'A'), request(2, 'b')]);
    await ask('a');
    await expect(ask('b')).rejects.toThrow('The replay stopped here.');
    player.end(1);
    expect(player.report()).toEqual({ requests: 2, calls: 0, changes: 0, isPartial: true });
  });

  it('replays a failure of the connection', async () => {
    const failed = { type: 'response', id: 1, at: 15, chunks: [], error: { message: 'reset', reason: 'network' } };
    const { ask } = play([request(1, 'a'), failed, END]);
    await expect(ask('a')).rejects.toMatchObject({ message: 'reset', reason: 'network', retryable: true });
  });
});

describe('the numbers of a run', () => {
  it('are the same for the same seed, and spread', () => {
    const [one, other] = [createRandom(7), createRandom(7)];
    const drawn = Array.from({ length: 1_000 }, one);
    expect(Array.from({ length: 1_000 }, other)).toEqual(drawn);
    expect(new Set(drawn).size).toBeGreaterThan(990);
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  });
});

describe('a recording', () => {
  it.each([
    ['', 'r is not a recording.'],
    ['{"type":"end"}', 'r is not a recording.'],
    [`${JSON.stringify({ ...START, format: 'castor-recording/9' })}`, 'r has the format castor-recording/9'],
    [`${JSON.stringify(START)}\n{"type":\n{}`, 'r:2: the line is not valid JSON'],
    [`${JSON.stringify(START)}\n{"type":"song"}`, 'r:2: the line is not part of a recording.'],
  ])('that is none is refused: %s', (text, sentence) => {
    expect(() => parseRecording(text, 'r')).toThrow(sentence);
  });

  it('may end with a cut line', () => {
    expect(parseRecording(`${JSON.stringify(START)}\n{"type":"req`, 'r').lines).toHaveLength(1);
  });
});
