import { describe, expect, it } from 'vitest';
import { changeTexts } from './conceal-value.ts';
import { SecretVault } from './secret-vault.ts';
import type { SecretMark } from './secret-vault.ts';
import { StreamConcealer } from './stream-concealer.ts';

const token = (letter: string) => `ghp_${letter.repeat(35)}1`;

describe('a vault', () => {
  it('replaces a value always by the same mark, and another by another', () => {
    const vault = new SecretVault();
    const text = `${token('a')} ${token('b')} ${token('a')}`;
    expect(vault.conceal(text)).toBe('‹secret:github-1› ‹secret:github-2› ‹secret:github-1›');
    expect(vault.conceal(`again ${token('b')}`)).toBe('again ‹secret:github-2›');
    expect(vault.marksIn('‹secret:github-2› ‹secret:none-9›')).toEqual(
      new Map([
        ['github-2', expect.objectContaining({ value: token('b'), isUsable: true })],
        ['none-9', undefined],
      ]),
    );
  });

  it('returns the very same text where nothing is secret, and leaves marks alone', () => {
    const vault = new SecretVault();
    const text = 'const hash = "e3b0c44298fc1c149afbf4c8996fb924"; // ‹secret:github-1›';
    expect(vault.conceal(text)).toBe(text);
  });

  it('matches credentials in use and withheld variables as they are, also those that come later', () => {
    const credentials = ['own-credential-1'];
    const vault = new SecretVault({ credentials, withheld: { MY_DB_TOKEN: 'abc123def456', WORD: 'production' } });
    expect(vault.conceal('own-credential-1 abc123def456 production')).toBe(
      '‹secret:castor-key-1› ‹secret:my-db-token-1› production',
    );
    credentials.push('later-credential');
    expect(vault.conceal('x later-credential')).toBe('x ‹secret:castor-key-2›');
    expect(vault.marksIn('‹secret:castor-key-1›').get('castor-key-1')?.isUsable).toBe(false);
  });

  it('finds a password outside its address, once it was seen in one', () => {
    const vault = new SecretVault();
    const password = 'tr0ub4dor-and-3';
    expect(vault.conceal(`https://me:${password}@corp.net`)).toBe('https://me:‹secret:password-1›@corp.net');
    expect(vault.conceal(`PASSWORD=${password}`)).toBe('PASSWORD=‹secret:password-1›');
  });

  it('sees one key block in text and in JSON', () => {
    const block = `-----BEGIN ${'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END ${'PRIVATE'} KEY-----`;
    const vault = new SecretVault();
    expect(vault.conceal(block)).toBe('‹secret:private-key-1›');
    expect(vault.conceal(JSON.stringify({ block }))).toBe('{"block":"‹secret:private-key-1›"}');
  });

  it('goes on with the marks of an earlier run: equal values keep theirs, new ones get new names', () => {
    const made: SecretMark[] = [];
    const vault = new SecretVault({
      known: () => [{ name: 'github-3', kind: 'github', fingerprint: `print ${token('a')}` }],
      fingerprintOf: (value) => `print ${value}`,
      onMark: (mark) => made.push(mark),
    });
    expect(vault.conceal(`${token('b')} ${token('a')}`)).toBe('‹secret:github-4› ‹secret:github-3›');
    expect(made).toEqual([expect.objectContaining({ name: 'github-4', fingerprint: `print ${token('b')}` })]);
  });
});

describe('the texts of a value', () => {
  it('are changed at every depth; what did not change stays the same object', () => {
    const vault = new SecretVault();
    const same = { parts: [{ text: 'plain' }] };
    const value = [same, { functionResponse: { id: token('a'), response: { output: token('a'), n: 1 } } }];
    const clean = changeTexts(value, (text) => vault.conceal(text));
    expect(clean).toEqual([
      same,
      { functionResponse: { id: token('a'), response: { output: '‹secret:github-1›', n: 1 } } },
    ]);
    expect(clean[0]).toBe(same);
    expect(changeTexts(same, (text) => vault.conceal(text))).toBe(same);
  });

  it('are not media and signatures', () => {
    const part = { inlineData: { data: token('a'), mimeType: 'image/png' }, thoughtSignature: token('b') };
    expect(changeTexts(part, () => 'changed')).toBe(part);
  });
});

describe('a stream', () => {
  const secret = token('a');
  const block = `-----BEGIN ${'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nabcdefgh\n-----END ${'PRIVATE'} KEY-----`;

  it.each([
    ['a token', `use token=${secret} now\n`, 'use token=‹secret:github-1› now\n'],
    ['an address', 'at https://me:tr0ub4dor-and-3@corp.net/x ok', 'at https://me:‹secret:password-1›@corp.net/x ok'],
    ['a key block', `key\n${block}\nend`, 'key\n‹secret:private-key-1›\nend'],
  ])('hides %s, wherever it is cut', (_what, text, expected) => {
    for (let cut = 1; cut < text.length; cut++) {
      const vault = new SecretVault();
      const stream = new StreamConcealer((piece) => vault.conceal(piece));
      expect(stream.add(text.slice(0, cut)) + stream.add(text.slice(cut)) + stream.end()).toBe(expected);
    }
  });

  it('passes other text at once', () => {
    const stream = new StreamConcealer((piece) => piece);
    for (const text of ['Continue? [y/N] ', '....', 'building module 12/90', '50%', 'a b c'])
      expect(stream.add(text)).toBe(text);
  });
});
