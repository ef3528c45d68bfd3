/**
 * Decides which addresses belong to the public internet. It rejects everything else (this
 * machine, its networks, reserved ranges, addresses that embed another); an invalid
 * address is not public.
 */

import { BlockList, isIPv4, isIPv6 } from 'node:net';

const SPECIAL_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Ranges inside the global range that are not public, or that embed an IPv4 address the check would miss. */
const SPECIAL_IPV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const specialIpv4 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, 'ipv4');

const specialIpv6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(network, prefix, 'ipv6');

const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // An address with a zone belongs to a link of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  const embedded = embeddedIpv4(address);
  if (embedded !== undefined) return isPublicAddress(embedded);
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** The IPv4 address of an IPv4-mapped or NAT64 address. */
function embeddedIpv4(address: string): string | undefined {
  const words = expandIpv6(address);
  const prefix = words.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:65535' && prefix !== '100:65435:0:0:0:0') return undefined;
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight words of a valid address. */
function expandIpv6(address: string): number[] {
  // The URL parser writes an IPv4 tail as two words.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = '', back] = text.split('::');
  const left = front === '' ? [] : front.split(':');
  const right = back === undefined || back === '' ? [] : back.split(':');
  const zeros = back === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((word) => Number.parseInt(word, 16));
}
