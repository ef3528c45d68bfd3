/** Reads the proxy for an address from the environment, and rejects an invalid one before the first request. */

import { describeInvalidProxy, proxyFromEnvironment } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

/** Throws an ExitError when the variable for this address holds no usable proxy. */
export function chooseProxy(
  environment: Readonly<Record<string, string | undefined>>,
  address: string,
): ((url: URL) => string | undefined) | undefined {
  const proxyFor = proxyFromEnvironment(environment);
  const url = URL.parse(address);
  const problem = url === null ? undefined : describeInvalidProxy(proxyFor?.(url));
  if (problem !== undefined) throw new ExitError(ExitCode.Settings, problem);
  return proxyFor;
}
