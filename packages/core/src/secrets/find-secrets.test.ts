import { describe, expect, it } from 'vitest';
import { findSecrets } from './find-secrets.ts';

/** Letters and digits in every order; assembled, so that scanners of repositories do not find them here. */
const ALNUM = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a1B2c3D4e5F6g7H8i9J0';
const HEX = '0123456789abcdef'.repeat(4);
const UPPER = 'ABCDEFGH12345678'.repeat(4);

const CASES: readonly (readonly [kind: string, value: string])[] = [
  ['github', `ghp_${ALNUM.slice(0, 36)}`],
  ['github', `gho_${ALNUM.slice(0, 36)}`],
  ['github', `github_pat_${ALNUM.slice(0, 22)}_${ALNUM.slice(0, 59)}`],
  ['gitlab', `glpat-${ALNUM.slice(0, 20)}`],
  ['aws', `AKIA${UPPER.slice(0, 16)}`],
  ['aws', `ASIA${UPPER.slice(0, 16)}`],
  ['google', `AIza${ALNUM.slice(0, 35)}`],
  ['google', `ya29.${ALNUM.slice(0, 40)}`],
  ['google', `GOCSPX-${ALNUM.slice(0, 28)}`],
  ['anthropic', `sk-ant-api03-${ALNUM.slice(0, 60)}`],
  ['openai', `sk-proj-${ALNUM.slice(0, 48)}`],
  ['openai', `sk-${ALNUM.slice(0, 48)}`],
  ['openrouter', `sk-or-v1-${HEX}`],
  ['slack', `xoxb-123456789012-${ALNUM.slice(0, 24)}`],
  ['slack', `xapp-1-${ALNUM.slice(0, 40)}`],
  ['npm', `npm_${ALNUM.slice(0, 36)}`],
  ['pypi', `pypi-AgEIcHlwaS5vcmc${ALNUM.slice(0, 60)}`],
  ['stripe', `sk_live_${ALNUM.slice(0, 24)}`],
  ['stripe', `whsec_${ALNUM.slice(0, 32)}`],
  ['sendgrid', `SG.${ALNUM.slice(0, 22)}.${ALNUM.slice(0, 43)}`],
  ['huggingface', `hf_${ALNUM.slice(0, 34)}`],
  ['digitalocean', `dop_v1_${HEX}`],
  ['docker', `dckr_pat_${ALNUM.slice(0, 27)}`],
  ['groq', `gsk_${ALNUM.slice(0, 52)}`],
  ['shopify', `shpat_${HEX.slice(0, 32)}`],
  ['vault', `hvs.${ALNUM.slice(0, 30)}`],
  ['linear', `lin_api_${ALNUM.slice(0, 40)}`],
  ['age', `AGE-SECRET-KEY-1${UPPER.slice(0, 58)}`],
  ['jwt', `eyJ${ALNUM.slice(0, 20)}.eyJ${ALNUM.slice(0, 30)}.${ALNUM.slice(0, 43)}`],
  ['private-key', `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${ALNUM}\n${ALNUM}\n-----END RSA ${'PRIVATE'} KEY-----`],
  ['private-key', `-----BEGIN ${'PRIVATE'} KEY-----\\n${ALNUM}\\n-----END ${'PRIVATE'} KEY-----`],
];

describe('a secret with a prefix', () => {
  it.each(CASES)('%s is found alone, in a line and in JSON: %s', (kind, value) => {
    expect(findSecrets(value)).toEqual([{ kind, value, start: 0 }]);
    expect(findSecrets(`export KEY=${value}\nnext`)).toEqual([{ kind, value, start: 11 }]);
    expect(findSecrets(`{"token":"${value}"}`)).toEqual([{ kind, value, start: 10 }]);
    expect(findSecrets(`a-long.path/of+a-word/${value}`)).toEqual([{ kind, value, start: 22 }]);
  });

  it('is not found inside a longer word, nor when it is too short', () => {
    expect(findSecrets(`Xghp_${ALNUM.slice(0, 36)}`)).toEqual([]);
    expect(findSecrets('ghp_tooshort sk-ant-no AKIA123 AIzaSy npm_x')).toEqual([]);
  });

  it('is the password of an address, and what has no prefix but a name', () => {
    const [password] = findSecrets('DATABASE_URL=postgres://bob:tr0ub4dor@db.corp.net:5432/app');
    expect(password).toEqual({ kind: 'password', value: 'tr0ub4dor', start: 28 });
    const secret = 'abcdEFGH/+12345678901234567890123456abcd';
    expect(findSecrets(`aws_secret_access_key = ${secret}\n`)).toEqual([{ kind: 'aws', value: secret, start: 24 }]);
    expect(findSecrets(`"aws_secret_access_key": "${secret}"`).map(({ value }) => value)).toEqual([secret]);
  });

  it('is found when the end of a key block is cut off', () => {
    const [found] = findSecrets(`-----BEGIN ${'PRIVATE'} KEY-----\n${ALNUM}\n${ALNUM}…`);
    expect(found?.kind).toBe('private-key');
    expect(found?.value).toContain(ALNUM);
  });
});

describe('what is no secret', () => {
  it.each([
    'https://user:pass@example.com/x',
    'postgres://postgres:postgres@db:5432/x',
    'redis://default:tr0ub4dor@localhost:6379',
    'http://a:tr0ub4dor@127.0.0.1/',
    'https://me:${PASSWORD}@corp.net/',
    'https://me:<password>@corp.net/',
    'https://me:changeme@corp.net/',
    'https://me:********@corp.net/',
    'https://registry.npmjs.org/a:b/c',
    'git@github.com:owner/name.git',
    `AKIAIOSFODNN7EXAMPLE`,
    `"integrity": "sha512-${'Zm9vYmFyYmF6'.repeat(7)}=="`,
    `commit ${'0123456789abcdef'.repeat(3).slice(0, 40)}`,
    '550e8400-e29b-41d4-a716-446655440000',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(20)}`,
    `-----BEGIN CERTIFICATE-----\n${ALNUM}\n-----END CERTIFICATE-----`,
    '-----BEGIN PRIVATE KEY-----',
    'const eyJ = decode(token.split(".")[0])',
  ])('%s', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it('costs time in proportion to the text, whatever the text is', () => {
    const hostile = [
      '-----BEGIN PRIVATE KEY-----'.repeat(2_000),
      `://${'a'.repeat(100_000)}`,
      '://a:'.repeat(20_000),
      'eyJ'.repeat(30_000),
      `aws_secret_access_key${' '.repeat(50_000)}`.repeat(2),
    ];
    for (const text of hostile) expect(findSecrets(text).length).toBeLessThan(2);
  });
});
