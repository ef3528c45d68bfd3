import { describe, expect, it } from 'vitest';
import { firstDifference } from './first-difference.ts';
import { restorePaths, Scrubber } from './scrubber.ts';

const SECRET = 'correct horse battery';
const scrubber = () =>
  new Scrubber({
    workspace: ['/home/ann/project'],
    home: ['/home/ann'],
    environment: { MY_TOKEN: SECRET, NAME: 'harmless value', SHORT_KEY: 'abc' },
  });

describe('what is recorded', () => {
  it.each([
    [
      'the workspace',
      'in /home/ann/project/a.ts and /home/ann/project',
      'in /castor/workspace/a.ts and /castor/workspace',
    ],
    ['the home folder', '/home/ann/.gemini', '/castor/home/.gemini'],
    [
      'not another folder',
      '/home/anna /mnt/home/ann /home/ann/projects',
      '/home/anna /mnt/home/ann /castor/home/projects',
    ],
    ['a secret variable', `the ${SECRET}!`, 'the ***!'],
    ['not a harmless or short one', 'harmless value abc', 'harmless value abc'],
    ['a key by its form', `key AIza${'a'.repeat(30)}.`, 'key ***.'],
    ['an assignment', 'DB_PASSWORD=swordfish1 API_KEY="abcdef123"', 'DB_PASSWORD=*** API_KEY="***"'],
    ['not a reference', 'API_KEY=$OTHER_KEY', 'API_KEY=$OTHER_KEY'],
    ['the password of an address', 'https://ann:swordfish@host/x', 'https://ann:***@host/x'],
    [
      'a private key',
      '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN RSA PRIVATE KEY-----\n001\n-----END RSA PRIVATE KEY-----',
    ],
  ])('has no %s', (_, text, expected) => {
    expect(scrubber().scrub(text)).toBe(expected);
    // Again changes nothing: a replay scrubs what was scrubbed.
    expect(scrubber().scrub(expected)).toBe(expected);
  });

  it('has no secret with characters that JSON escapes', () => {
    const odd = new Scrubber({ workspace: [], home: [], environment: { A_SECRET: 'pass"word\\1' } });
    expect(odd.scrub(JSON.stringify({ text: 'pass"word\\1' }))).toBe('{"text":"***"}');
  });

  it('has no values of headers that hold credentials', () => {
    const given = { Authorization: 'Bearer x', 'x-api-key': 'k', Cookie: 'c', accept: '/home/ann' };
    expect(scrubber().headers(given)).toEqual({
      ...{ authorization: '***', 'x-api-key': '***', cookie: '***', accept: '/castor/home' },
    });
  });

  it('has nothing that a model spelled in pieces', () => {
    const frame = (text: string) => `data: ${JSON.stringify({ delta: { text }, index: 0 })}\n\n`;
    const pieces = ['see /home/a', 'nn/proj', 'ect/a.ts, correct ho', 'rse bat', 'tery'];
    const chunks = scrubber().chunks(pieces.map((piece, at) => [at, frame(piece)]));
    const texts =
      chunks
        .map(([, line]) => line)
        .join('')
        .match(/\{.*\}/g) ?? [];
    const spelled = texts.map((line) => (JSON.parse(line) as { delta: { text: string } }).delta.text);
    expect(spelled.join('')).toBe('see /castor/workspace/a.ts, ***');
    expect(chunks.map(([at]) => at)).toEqual([...chunks.map(([at]) => at)].sort((one, other) => one - other));
  });

  it('keeps the pieces of a stream as they came where nothing is removed', () => {
    const chunks: [number, string][] = [
      [1, 'data: {"a'],
      [5, '":1}\n\n'],
    ];
    expect(scrubber().chunks(chunks)).toEqual(chunks);
  });

  it('gets the folders of the machine that replays it', () => {
    const text = restorePaths('/castor/workspace/a /castor/home/b', { workspace: '/tmp/w', home: '/tmp/h' });
    expect(text).toBe('/tmp/w/a /tmp/h/b');
  });
});

describe('the first difference', () => {
  it.each([
    ['{"a":[1,{"b":2}]}', '{"a":[1,{"b":3}]}', { where: 'a[1].b', expected: '2', actual: '3' }],
    ['{"a":1}', '{"a":1,"b":2}', { where: 'b', expected: 'nothing', actual: '2' }],
    ['{"a":"x\\ny"}', '{"a":"x\\nz"}', { where: 'a, line 2', expected: '"x\\ny"', actual: '"x\\nz"' }],
    ['one\ntwo', 'one\nTwo', { where: 'line 2', expected: '"one\\ntwo"', actual: '"one\\nTwo"' }],
  ])('of %s and %s', (one, other, expected) => {
    expect(firstDifference(one, other)).toEqual(expected);
  });
});

const GITHUB = `ghp_${'abcdefghij'.repeat(4).slice(0, 36)}`;
const NPM = `npm_${'Ab3'.repeat(12)}`;
const STANDS_FOR_GITHUB = `ghp_${'1'.padStart(36, '0')}`;

describe('a secret that a session marks', () => {
  const open = (environment: Record<string, string> = {}, standIns: string[] = []) =>
    new Scrubber({ workspace: [], home: [], environment, standIns, keyStandIn: 'no-key' });

  it('has a stand-in of its form, the same one everywhere, also for another scrubber', () => {
    const one = open();
    const text = `a ${GITHUB}\n${GITHUB} and ${NPM}`;
    const expected = `a ${STANDS_FOR_GITHUB}\n${STANDS_FOR_GITHUB} and npm_${'2'.padStart(36, '0')}`;
    expect(one.scrub(text)).toBe(expected);
    // Behind a line end, which JSON writes as a letter, and in JSON inside JSON.
    expect(JSON.parse(one.json({ text }))).toEqual({ text: expected });
    expect(JSON.parse(one.body(JSON.stringify({ deep: { text } })))).toEqual({ deep: { text: expected } });
    const standIns = one.takeStandIns().map(({ standIn }) => standIn);
    expect(standIns).toHaveLength(2);
    const other = open({}, standIns);
    expect(other.scrub(`KEY=${expected}`)).toBe(`KEY=${expected}`);
    expect(other.scrub(GITHUB)).toBe(`ghp_${'2'.padStart(36, '0')}`);
  });

  it('leaves marks alone, also where a secret is expected', () => {
    const text = 'API_KEY=‹secret:github-1› postgres://ann:‹secret:password-1›@db.corp.net/x';
    expect(open().scrub(text)).toBe(text);
  });

  it('has one in the variable that held it', () => {
    const one = open({
      APP_TOKEN: 'variable0123456',
      LOGIN: 'postgres://ann:swordfish12@db.corp.net/x',
      WORDS_KEY: 'two words',
    });
    one.addSecrets(['a-key-in-use', 'variable0123456']);
    expect(one.scrub('variable0123456 two words a-key-in-use')).toBe('v00000000000001 *** no-key');
    expect(one.scrub('at postgres://ann:swordfish12@db.corp.net/x')).toBe(
      'at postgres://ann:00000000002@db.corp.net/x',
    );
    expect(one.takeStandIns().filter(({ variable }) => variable !== undefined)).toEqual([
      { standIn: 'v00000000000001', variable: 'APP_TOKEN' },
      { standIn: 'postgres://ann:00000000002@db.corp.net/x', variable: 'LOGIN' },
    ]);
  });
});
