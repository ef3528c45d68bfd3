/**
 * What a call printed, from its response for the model: for calls whose display was too long to be recorded twice. Pure.
 */

const SHELL = 'run_shell_command';
const UNTRUSTED = /^<untrusted_context>\n([^]*)\n<\/untrusted_context>/;
/** Lines that the shell tool adds for the model after the output. */
const FACT = /^(?:Exit Code|Signal|Background PIDs|Note|Process Group PGID): /;

export function shownOutput(name: string, response: string): string {
  const text = UNTRUSTED.exec(response)?.[1] ?? response;
  if (name !== SHELL || !text.startsWith('Output: ')) return text;
  const lines = text.slice('Output: '.length).split('\n');
  while (lines.length > 1 && FACT.test(lines.at(-1)!)) lines.pop();
  return lines.join('\n');
}
