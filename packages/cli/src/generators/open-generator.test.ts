import dns from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '@castor/core/program';
import { openGenerator } from './open-generator.ts';

const before = dns.getDefaultResultOrder();

afterEach(() => dns.setDefaultResultOrder(before));

describe('advanced.dnsResolutionOrder', () => {
  it.each([
    [undefined, before],
    ['ipv4first', 'ipv4first'],
    ['verbatim', 'verbatim'],
  ] as const)('of %s makes the order of addresses %s', async (dnsResolutionOrder, expected) => {
    // Only the one key is read.
    const settings = { advanced: { dnsResolutionOrder } } as unknown as Settings;
    await openGenerator({
      choice: { model: 'offline', access: { kind: 'offline' }, warnings: [] },
      cwd: '/',
      home: '/',
      configuration: { envFile: { variables: {}, skipped: [], warnings: [] } },
      environment: {},
      settings,
    });
    expect(dns.getDefaultResultOrder()).toBe(expected);
  });
});
