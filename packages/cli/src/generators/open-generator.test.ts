import dns from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '@castor/core/program';
import { openGenerator } from './open-generator.ts';

const before = dns.getDefaultResultOrder();

afterEach(() => dns.setDefaultResultOrder(before));

const OFFLINE = {
  choice: { model: 'offline', access: { kind: 'offline' as const }, warnings: [] },
  cwd: '/',
  home: '/',
  configuration: { envFile: { variables: {}, skipped: [], warnings: [] } },
  environment: {},
};

describe('a session of the offline model', () => {
  it('changes to no other model by itself', async () => {
    const { prepareModel } = await openGenerator({ ...OFFLINE, settings: { advanced: {} } as unknown as Settings });
    expect(await prepareModel('offline')).toBe('offline');
    await expect(prepareModel('anthropic/x')).rejects.toThrow('uses the offline model');
  });
});

describe('advanced.dnsResolutionOrder', () => {
  it.each([
    [undefined, before],
    ['ipv4first', 'ipv4first'],
    ['verbatim', 'verbatim'],
  ] as const)('of %s makes the order of addresses %s', async (dnsResolutionOrder, expected) => {
    // Only the one key is read.
    const settings = { advanced: { dnsResolutionOrder } } as unknown as Settings;
    await openGenerator({ ...OFFLINE, settings });
    expect(dns.getDefaultResultOrder()).toBe(expected);
  });
});
