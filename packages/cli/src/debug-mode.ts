/** Detects whether the user debugs this run: `--debug`, `DEBUG=1` or `DEBUG_MODE=1`. */

import type { CliArguments } from './args/args.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function isDebug(args: CliArguments | undefined, environment: Environment): boolean {
  const isOn = (value: string | undefined) => value === 'true' || value === '1';
  return args?.debug === true || isOn(environment['DEBUG']) || isOn(environment['DEBUG_MODE']);
}
