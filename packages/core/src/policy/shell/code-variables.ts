/**
 * Knows the variables whose value a shell or a program runs: prompts, start files, pagers,
 * editors. Their value counts as a script of the line.
 */

/** The shell expands these like a text in double quotes, with its substitutions. */
const EXPANDED = /^(?:PS[0-4]|ENV|BASH_ENV)$/;
/** A shell runs these as they are. */
const RUN =
  /^(?:PROMPT_COMMAND|(?:.*_)?(?:PAGER|EDITOR|COMMAND|ASKPASS)|VISUAL|BROWSER|GIT_(?:EXTERNAL_DIFF|SSH)|LESS(?:OPEN|CLOSE))$/;
/** By these a known name runs another command. */
const RENAMING = /^BASH_(?:CMDS|ALIASES)$/;

/** The shell text that setting the variable makes something run; undefined when nothing runs it. */
export function scriptInVariable(name: string, value: string): string | undefined {
  if (EXPANDED.test(name)) return /[$`]/.test(value) ? `: "${value.replaceAll('"', '\\"')}"` : undefined;
  return RUN.test(name) && value !== '' ? value : undefined;
}

/** Whether an unknown value of the variable is unknown code. */
export function holdsCode(name: string): boolean {
  return EXPANDED.test(name) || RUN.test(name) || RENAMING.test(name);
}

/** Whether the shell then runs something other than the name says. */
export function renamesCommands(name: string): boolean {
  return RENAMING.test(name);
}
