/**
 * Which hosts the commands of a sandbox may reach: exact names or `*.suffix`, each with its ports. Pure. An empty list
 * allows none, and an address that belongs to this computer or its network is never reached by name.
 */

import { isIP } from 'node:net';

/** Hosts of package registries, for `tools.sandboxNetworkAccess`. */
export const REGISTRY_HOSTS: readonly string[] = [
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'nodejs.org', 'jsr.io', 'npm.jsr.io'],
  ...['pypi.org', 'files.pythonhosted.org', 'crates.io', 'index.crates.io', 'static.crates.io'],
  ...[
    'proxy.golang.org',
    'sum.golang.org',
    'rubygems.org',
    'index.rubygems.org',
    'packagist.org',
    'repo.packagist.org',
  ],
  ...['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org', 'downloads.gradle.org'],
  ...['github.com', 'codeload.github.com', 'objects.githubusercontent.com', 'raw.githubusercontent.com'],
];

const WEB_PORTS: readonly number[] = [80, 443];

export interface HostEntry {
  host: string;
  ports: readonly number[];
}

/** `example.org`, `*.example.org`, `example.org:8443`. Undefined for what is no host name. */
export function parseHostEntry(text: string): HostEntry | undefined {
  const [, name = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = normalizeHost(name.replace(/^\*\./, ''));
  if (host === undefined || (!host.includes('.') && name.startsWith('*.'))) return undefined;
  const ports = port === undefined ? WEB_PORTS : [Number(port)];
  return { host: name.startsWith('*.') ? `*.${host}` : host, ports };
}

/**
 * The name as it is looked up: lower case, without the dot at its end. Undefined for what is no plain name: numbers that
 * some programs take for an address, names with other characters than letters, digits, dots and hyphens.
 */
export function normalizeHost(name: string): string | undefined {
  const host = name.toLowerCase().replace(/\.$/, '');
  if (
    host.length > 253 ||
    !/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(host)
  )
    return undefined;
  const last = host.split('.').at(-1) ?? '';
  // 2130706433, 0x7f.1 and 127.1 are addresses to many programs.
  return /^(?:\d+|0x[\da-f]*)$/.test(last) ? undefined : host;
}

export function allowsHost(list: readonly HostEntry[], host: string, port: number): boolean {
  return list.some((entry) => {
    if (!entry.ports.includes(port)) return false;
    return entry.host.startsWith('*.') ? host.endsWith(entry.host.slice(1)) : host === entry.host;
  });
}

/** Loopback, link-local, private, multicast and reserved addresses: those of this computer and its network. */
export function isInnerAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return isInnerVersion4(address);
  if (version !== 6) return true;
  const lower = address.toLowerCase();
  const mapped = /^::(?:ffff:(?:0:)?)?(\d+\.\d+\.\d+\.\d+)$/.exec(lower)?.[1];
  if (mapped !== undefined) return isInnerVersion4(mapped);
  // Only 2000::/3 is the public internet; 2001:db8::/32 and 2002::/16 (6to4) are not.
  return !/^[23]/.test(lower) || /^200[12]:(?:db8|0?:)|^2002:|^2001:0?:/.test(lower);
}

function isInnerVersion4(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number);
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b < 128;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b < 32;
  return (a === 192 && (b === 168 || b === 0)) || (a === 198 && (b === 18 || b === 19));
}
