/** Checks whether the model's endpoint accepts connections. It sends nothing: no key, no request. */

import { connect } from 'node:net';
import { admitUrl, proxyFromEnvironment } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor-check.ts';

const DEFAULT_ADDRESS = 'https://generativelanguage.googleapis.com';
const TIMEOUT_MS = 3_000;

export interface CheckedAddress {
  /** Default the Gemini API's. */
  baseUrl?: string | undefined;
  /** The variable or the setting that would change it. */
  addressSource?: string | undefined;
}

export async function checkEndpoint(
  { baseUrl, addressSource = 'GOOGLE_GEMINI_BASE_URL' }: CheckedAddress,
  environment: SubcommandContext['environment'],
): Promise<Check> {
  const topic = 'address';
  const text = baseUrl ?? DEFAULT_ADDRESS;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    return { topic, status: 'problem', says: `${addressSource} is not an http or https URL.` };
  }
  const proxyText = proxyFromEnvironment(environment)?.(address);
  const proxy = proxyText !== undefined && URL.canParse(proxyText) ? new URL(proxyText) : undefined;
  const target = proxy ?? address;
  const way = proxy ? `${address.origin} through ${proxy.host}` : address.origin;
  admitUrl(address, 'check', proxy?.host);
  const problem = await tryToConnect(target);
  if (problem === undefined) return { topic, status: 'ok', says: `${way} accepts connections` };
  return {
    topic,
    status: 'problem',
    says: `${way} is unreachable: ${problem}`,
    fix: `Check the network, HTTPS_PROXY, NO_PROXY and ${addressSource}.`,
  };
}

/** Undefined when the server answers. */
function tryToConnect({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      // Only a URL has brackets around an address.
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      timeout: TIMEOUT_MS,
    });
    const finish = (problem: string | undefined) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => finish(undefined));
    socket.once('timeout', () => finish(`no answer within ${TIMEOUT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
  });
}
