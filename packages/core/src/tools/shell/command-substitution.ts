/**
 * Whether a command line holds command or process substitution: `$(`, backticks, `<(`
 * or `>(` that the shell would act on. A scan over quotes and backslashes, not a parse:
 * in doubt it says yes.
 */

export const SUBSTITUTION_REFUSED =
  'Command injection detected: the command was not run because it contains command substitution ' +
  '($(), backticks, <() or >()) outside single quotes. Run the inner command first, then use its output in a second command.';

export function hasCommandSubstitution(command: string): boolean {
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < command.length; index++) {
    const character = command[index];
    if (quote === "'") {
      if (character === "'") quote = undefined;
      continue;
    }
    if (character === '\\') {
      index++;
      continue;
    }
    if (character === '`') return true;
    if (character === '$' && command[index + 1] === '(') return true;
    if (quote === '"') {
      if (character === '"') quote = undefined;
      continue;
    }
    if ((character === '<' || character === '>') && command[index + 1] === '(') return true;
    if (character === "'" || character === '"') quote = character;
  }
  return false;
}
