/** Flags that exclude each other, and invalid values. Pure. */

import { UsageError } from '../exit-codes.ts';
import type { CliArguments, FlagName } from './flags.ts';

const REFUSALS: readonly ((args: CliArguments) => string | false)[] = [
  ({ prompt, query }) =>
    Boolean(prompt && query) && 'pass the prompt either with --prompt (-p) or after the flags, not both.',
  ({ prompt, promptInteractive }) =>
    Boolean(prompt && promptInteractive) && 'use --prompt (-p) or --prompt-interactive (-i), not both.',
  ({ yolo, approvalMode }) =>
    Boolean(yolo && approvalMode !== undefined) &&
    'use --yolo (-y) or --approval-mode, not both; --approval-mode yolo is the same as --yolo.',
  ({ resume, sessionId, sessionFile }) =>
    [resume, sessionId, sessionFile].filter((value) => value !== undefined).length > 1 &&
    'use only one of --resume, --session-id and --session-file.',
  ({ sessionId }) =>
    sessionId !== undefined &&
    !/^[A-Za-z0-9_-]+$/.test(sessionId) &&
    `--session-id may contain only letters, digits, - and _, not ${JSON.stringify(sessionId)}.`,
  ({ fork, resume, continue: goesOn }) =>
    Boolean(fork && resume === undefined && !goesOn) && '--fork needs --resume or --continue: it copies that session.',
  ({ continue: goesOn, sessionId, sessionFile }) =>
    Boolean(goesOn && (sessionId ?? sessionFile) !== undefined) &&
    '--continue needs an existing session; remove --session-id and --session-file.',
  ({ continue: goesOn, prompt, promptInteractive, query }) =>
    Boolean(goesOn && (prompt || promptInteractive || query)) &&
    '--continue continues the interrupted prompt; remove the new prompt, or use --resume.',
  ({ outputFormat }) => refuseOther('output-format', outputFormat, ['text', 'json', 'stream-json']),
  ({ inputFormat }) => refuseOther('input-format', inputFormat, ['text', 'stream-json']),
  ({ approvalMode }) => refuseOther('approval-mode', approvalMode, ['default', 'auto_edit', 'yolo', 'plan']),
  ({ inputFormat, outputFormat = 'stream-json' }) =>
    inputFormat === 'stream-json' &&
    outputFormat !== 'stream-json' &&
    '--input-format stream-json needs stream-json output; remove --output-format or set it to stream-json.',
];

function refuseOther(name: FlagName, value: string | undefined, known: readonly string[]): string | false {
  if (value === undefined || known.includes(value)) return false;
  return `--${name} must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}, not ${JSON.stringify(value)}.`;
}

/** Throws a UsageError. */
export function checkTogether(args: CliArguments): CliArguments {
  for (const refuse of REFUSALS) {
    const sentence = refuse(args);
    if (sentence !== false) throw new UsageError(sentence);
  }
  return args;
}
