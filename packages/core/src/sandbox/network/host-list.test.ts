import { describe, expect, it } from 'vitest';
import { allowsHost, isInnerAddress, normalizeHost, parseHostEntry, REGISTRY_HOSTS } from './host-list.ts';

const list = (...entries: string[]) => entries.map((entry) => parseHostEntry(entry)!);

describe('a list of hosts', () => {
  it('that is empty allows none', () => {
    expect(allowsHost([], 'example.org', 443)).toBe(false);
  });

  it.each<[entry: string, host: string, port: number, isAllowed: boolean]>([
    ['example.org', 'example.org', 443, true],
    ['example.org', 'example.org', 80, true],
    ['example.org', 'example.org', 22, false],
    ['example.org', 'a.example.org', 443, false],
    ['example.org', 'example.org.evil.tld', 443, false],
    ['example.org', 'evilexample.org', 443, false],
    ['*.example.org', 'a.example.org', 443, true],
    ['*.example.org', 'a.b.example.org', 443, true],
    ['*.example.org', 'example.org', 443, false],
    ['*.example.org', 'evilexample.org', 443, false],
    ['example.org:8443', 'example.org', 8443, true],
    ['example.org:8443', 'example.org', 443, false],
  ])('%s and %s:%d', (entry, host, port, isAllowed) => {
    expect(allowsHost(list(entry), host, port)).toBe(isAllowed);
  });

  it.each(['', '*', '*.org:x', '*.com', 'a b', 'user@example.org', 'example.org/x', '1.2.3.4', '*.*.org'])(
    'has no entry %j',
    (entry) => expect(parseHostEntry(entry)).toBeUndefined(),
  );

  it('of registries consists of names', () => {
    expect(REGISTRY_HOSTS.filter((host) => parseHostEntry(host)?.host !== host)).toEqual([]);
  });
});

it.each([
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '127.1',
  '::1',
  'a%00b',
  'a\0b',
  'exämple.org',
  'a..b',
  '-a.b',
])('takes %j for no name', (name) => {
  expect(normalizeHost(name)).toBeUndefined();
});

it('writes a name as it is looked up', () => {
  expect([normalizeHost('Example.ORG.'), normalizeHost('xn--exmple-cua.org')]).toEqual([
    'example.org',
    'xn--exmple-cua.org',
  ]);
});

it.each([
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ],
  ...['224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::', 'fe80::1', 'fc00::1', 'fd00::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '2002:7f00:1::', 'no address'],
])('knows %s as an address inside', (address) => {
  expect(isInnerAddress(address)).toBe(true);
});

it.each(['1.1.1.1', '172.32.0.1', '192.167.1.1', '8.8.8.8', '2606:4700::1111', '2a00:1450::1'])(
  'knows %s as one outside',
  (address) => {
    expect(isInnerAddress(address)).toBe(false);
  },
);
