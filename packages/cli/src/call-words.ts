/** A call in two words for every surface: what it does, and to what, each said once. Pure. */

export interface CallWords {
  readonly verb: string;
  readonly object: string;
}

/** By the name of the tool; others have the verb of their display name. */
const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  read_many_files: 'Read',
  list_directory: 'List',
  glob: 'Find',
  grep_search: 'Search',
  search_file_content: 'Search',
  write_file: 'Write',
  replace: 'Edit',
  run_shell_command: 'Shell',
  web_fetch: 'Fetch',
  google_web_search: 'Search the web',
  write_todos: 'Plan',
  ask_user: 'Ask',
  exit_plan_mode: 'Plan',
};

/** What descriptions of tools say before their object. */
const LEADS =
  /^(?:Writing to|Edit|Create|Processing URLs and instructions from prompt:|Asking user:|Requesting plan approval for:(?: .*\/)?) ?/;

/** The display name of a tool of an MCP server. */
const SERVED = /^(.+) \((.+) MCP Server\)$/;

/** Undefined for a tool that has the word of its display name. */
export function verbOf(name: string): string | undefined {
  return Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
}

/** `display` is safe to show. */
export function callWords(name: string, display: { readonly name: string; readonly description: string }): CallWords {
  const served = SERVED.exec(display.name);
  if (served) return { verb: `${served[2]}: ${served[1]}`, object: argumentWords(display.description) };
  const verb = verbOf(name);
  const whole = display.description;
  // Many descriptions begin with the tool's own name: once is enough.
  const own = whole.startsWith(`${display.name} `) ? whole.slice(display.name.length + 1) : whole;
  const object = verb === undefined ? own : own.replace(LEADS, '');
  if (verb !== undefined && name === 'web_fetch') return { verb, object: object.replace(/^"(.*)"$/, '$1') };
  return {
    verb: verb ?? display.name,
    object: /^'.*'/.test(object) ? object.replace(/^'(.*?)'(?= |$)/, '"$1"') : object,
  };
}

/** Arguments as words: a row of JSON is no title. */
function argumentWords(json: string): string {
  let args: unknown;
  try {
    args = JSON.parse(json);
  } catch {
    return json;
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return json;
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${valueWords(value)}`)
    .join(' · ');
}

function valueWords(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(/\s+/g, ' ').trim();
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  return isList ? value.join(', ') : (JSON.stringify(value) ?? '');
}
