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
};

/** What descriptions of tools say before their object. */
const LEADS = /^(?:Writing to|Edit|Create|Processing URLs and instructions from prompt:) /;

/** `display` is safe to show. */
export function callWords(name: string, display: { readonly name: string; readonly description: string }): CallWords {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  const whole = display.description;
  // Many descriptions begin with the tool's own name: once is enough.
  const own = whole.startsWith(`${display.name} `) ? whole.slice(display.name.length + 1) : whole;
  const object = verb === undefined ? own : own.replace(LEADS, '');
  return {
    verb: verb ?? display.name,
    object: /^'.*'/.test(object) ? object.replace(/^'(.*?)'(?= |$)/, '"$1"') : object,
  };
}
