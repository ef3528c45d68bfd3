/** Flags that the chosen surface would ignore: each is refused. Pure; every surface but the headless one loads it. */

import { UsageError } from '../exit-codes.ts';
import type { CliArguments } from './flags.ts';

type Key = keyof CliArguments;

/** They print something and end: nothing is asked, opened or formatted. */
const LISTINGS = ['listSessions', 'listExtensions', 'deleteSession'] as const satisfies readonly Key[];

/** An editor sends prompts, names sessions and reads the protocol. */
const IDLE_IN_EDITOR: readonly Key[] = [
  ...(['prompt', 'promptInteractive', 'query', 'inputFormat', 'outputFormat', 'outputSchema', 'record'] as const),
  ...(['resume', 'continue', 'fork', 'sessionId', 'sessionFile'] as const),
  ...(['screenReader', 'rawOutput', 'acceptRawOutputRisk'] as const),
];

const IDLE_ON_SCREEN: readonly Key[] = [
  ...(['outputFormat', 'inputFormat', 'outputSchema', 'rawOutput', 'acceptRawOutputRisk'] as const),
  ...(['acp', 'experimentalAcp'] as const),
];

/** Throws a UsageError. */
export function refuseBesideListing(args: CliArguments): void {
  const listing = LISTINGS.find((key) => isGiven(args[key]));
  const idle = (Object.keys(args) as Key[]).find((key) => key !== listing && key !== 'debug' && isGiven(args[key]));
  if (listing && idle) throw new UsageError(`${spell(idle)} has no effect on ${spell(listing)}; leave it out.`);
}

/** Throws a UsageError. */
export function refuseBesideEditor(args: CliArguments): void {
  const idle = IDLE_IN_EDITOR.find((key) => isGiven(args[key]));
  if (!idle) return;
  throw new UsageError(`${spell(idle)} has no effect on --acp, where an editor decides on it; leave it out.`);
}

/** Throws a UsageError. The format `text` is what a screen shows anyway. */
export function refuseOnScreen(args: CliArguments): void {
  const idle = IDLE_ON_SCREEN.find((key) => isGiven(args[key]) && args[key] !== 'text');
  if (idle) throw new UsageError(`${spell(idle)} has no effect on a screen; leave it out, or pass the prompt with -p.`);
}

/** A switch that is turned off is not given. */
function isGiven(value: CliArguments[Key]): boolean {
  return value !== undefined && value !== false;
}

function spell(key: Key): string {
  return key === 'query' ? 'a prompt' : `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
