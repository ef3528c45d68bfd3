/**
 * Prepares a hook's command line for the shell. The shell expands the variables we set from
 * the environment, each as one word wherever it is used: a value is never inserted into the
 * text, so no folder name can become a command. Pure.
 */

/** The variables in every hook's environment. */
const HOOK_NAMES = [
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'GEMINI_PLANS_DIR',
  'GEMINI_SESSION_ID',
  'CLAUDE_PROJECT_DIR',
] as const;

export type HookVariables = Record<(typeof HOOK_NAMES)[number], string>;

/** Also the paths of an extension, in the one spelling its manifest and its hooks use. */
const NAME = new RegExp(String.raw`\$(?:(${HOOK_NAMES.join('|')})(?!\w)|\{(extensionPath|workspacePath)\})`, 'g');
/** The tokens that need different handling: escapes, the two kinds of quotes, comments, names. */
const WORDS = new RegExp(
  [String.raw`\\[^]`, "'[^']*'", String.raw`"(?:[^"\\]|\\[^])*"`, String.raw`(?<=^|\s)#[^\n]*`, NAME.source].join('|'),
  'g',
);

export function toHookCommand(command: string, platform: NodeJS.Platform): string {
  if (platform === 'win32')
    return command.replaceAll(NAME, (_, name: string | undefined, path: string) => `$env:${name ?? path}`);
  // Quotes have no meaning in a here-document: the shell expands it without word splitting.
  return command.includes('<<') ? command : command.replaceAll(WORDS, quoteNames);
}

/** Inside double quotes a name is already one word; single quotes are closed around it and reopened. */
function quoteNames(word: string): string {
  if (word.startsWith('$')) return `"${word}"`;
  return word.startsWith("'") ? word.replaceAll(NAME, (name) => `'"${name}"'`) : word;
}
