/**
 * The command line of a hook, made ready for the shell. The names we set are expanded
 * by the shell itself, from the environment, each as one word wherever it stands: a
 * value is never put into the text, so no folder's name can become a command. Pure.
 */

/** What every hook finds in its environment. */
const HOOK_NAMES = [
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'GEMINI_PLANS_DIR',
  'GEMINI_SESSION_ID',
  'CLAUDE_PROJECT_DIR',
] as const;

export type HookVariables = Record<(typeof HOOK_NAMES)[number], string>;

const NAME = new RegExp(String.raw`\$(${HOOK_NAMES.join('|')})(?!\w)`, 'g');
/** What must be told apart from bare words: escapes, the two kinds of quotes, comments. */
const WORDS = new RegExp(
  [String.raw`\\[^]`, "'[^']*'", String.raw`"(?:[^"\\]|\\[^])*"`, String.raw`(?<=^|\s)#[^\n]*`, NAME.source].join('|'),
  'g',
);

export function toHookCommand(command: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return command.replaceAll(NAME, (_, name: string) => `$env:${name}`);
  // In a here-document quotes mean nothing; there the shell's own expansion does.
  return command.includes('<<') ? command : command.replaceAll(WORDS, quoteNames);
}

/** Between double quotes a name is one word already; between single ones they are left for it. */
function quoteNames(word: string): string {
  if (word.startsWith('$')) return `"${word}"`;
  return word.startsWith("'") ? word.replaceAll(NAME, (name) => `'"${name}"'`) : word;
}
