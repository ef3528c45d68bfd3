/**
 * Parses the words of `castor mcp add` as Gemini CLI does: known options count wherever they are, unknown ones and
 * everything after `--` are arguments of the server. An error is a sentence.
 */

export type McpScope = 'user' | 'project';
export const MCP_SCOPES: readonly McpScope[] = ['user', 'project'];

export interface AddedServer {
  name: string;
  transport: 'stdio' | 'sse' | 'http';
  /** The program or the url. */
  target: string;
  args: string[];
  env: Record<string, string>;
  headers: Record<string, string>;
  scope: McpScope;
  timeout?: number;
  trust?: boolean;
  description?: string;
  includeTools: string[];
  excludeTools: string[];
}

const NAMES: Readonly<Record<string, string>> = {
  '-s': '--scope',
  '-t': '--transport',
  '--type': '--transport',
  '-e': '--env',
  '-H': '--header',
};
const VALUED: ReadonlySet<string> = new Set([
  ...['--scope', '--transport', '--env', '--header', '--timeout', '--description'],
  ...['--include-tools', '--exclude-tools'],
]);
const LISTS: ReadonlySet<string> = new Set(['--include-tools', '--exclude-tools']);
const TRANSPORTS: readonly string[] = ['stdio', 'sse', 'http'];

export function readAddWords(argv: readonly string[]): AddedServer | string {
  const words: string[] = [];
  const given: [option: string, value: string][] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index]!;
    if (word === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    const [head = '', inline] = word.startsWith('--') ? word.split(/=(.*)/s) : splitShort(word);
    const option = NAMES[head] ?? head;
    if (['--trust', '--no-trust'].includes(option)) {
      given.push(['--trust', String((option === '--trust') === (inline !== 'false'))]);
    } else if (!VALUED.has(option)) words.push(word);
    else {
      const value = inline ?? argv[(index += 1)];
      if (value === undefined) return `${head} needs a value.`;
      given.push([option, value]);
      // As in Gemini CLI, a list takes all words that follow it, once the server is named.
      while (LISTS.has(option) && words.length > 1 && /^[^-]/.test(argv[index + 1] ?? '')) {
        given.push([option, argv[(index += 1)]!]);
      }
    }
  }
  return toServer(words, given);
}

/** `-eKEY=value`, but not `-y`. */
function splitShort(word: string): [string, string?] {
  const head = word.slice(0, 2);
  return word.length > 2 && Object.hasOwn(NAMES, head) ? [head, word.slice(2).replace(/^=/, '')] : [word];
}

function toServer([name, target, ...args]: string[], given: readonly [string, string][]): AddedServer | string {
  if (name === undefined || name.trim() === '') return 'The name of the server is missing.';
  if (target === undefined || target === '') return 'The command or the url of the server is missing.';
  const isUrl = /^https?:\/\//i.test(target);
  const server: AddedServer = {
    ...{ name, target, args, env: {}, headers: {}, includeTools: [], excludeTools: [] },
    transport: isUrl ? 'http' : 'stdio',
    scope: 'project',
  };
  for (const [option, value] of given) {
    const problem = READERS[option]?.(server, value);
    if (problem !== undefined) return problem;
  }
  const { transport } = server;
  if (transport === 'stdio') {
    return isUrl ? `${target} is a url; -t stdio needs a command.` : server;
  }
  if (!isUrl) return `-t ${transport} needs a url that begins with http:// or https://, not ${JSON.stringify(target)}.`;
  if (Object.keys(server.env).length > 0) return 'A server with a url has no environment; -e needs a command.';
  return args.length > 0 ? `A server with a url has no arguments: ${args.join(' ')}.` : server;
}

type Reader = (server: AddedServer, value: string) => string | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  '--scope'(server, value) {
    if (!MCP_SCOPES.includes(value as McpScope))
      return `--scope must be user or project, not ${JSON.stringify(value)}.`;
    server.scope = value as McpScope;
    return undefined;
  },
  '--transport'(server, value) {
    if (!TRANSPORTS.includes(value)) return `--transport must be stdio, sse or http, not ${JSON.stringify(value)}.`;
    server.transport = value as AddedServer['transport'];
    return undefined;
  },
  '--env': (server, value) => addPair(server.env, value, { sign: '=', what: '-e needs KEY=value' }),
  '--header': (server, value) => addPair(server.headers, value, { sign: ':', what: '-H needs "Name: value"' }),
  '--timeout'(server, value) {
    const ms = Number(value);
    if (value.trim() === '' || !Number.isFinite(ms) || ms < 0)
      return `--timeout must be a number of milliseconds, not ${JSON.stringify(value)}.`;
    server.timeout = ms;
    return undefined;
  },
  '--trust'(server, value) {
    server.trust = value === 'true';
    return undefined;
  },
  '--description'(server, value) {
    server.description = value;
    return undefined;
  },
  '--include-tools': (server, value) => addNames(server.includeTools, value),
  '--exclude-tools': (server, value) => addNames(server.excludeTools, value),
};

/** At the first sign: a value may contain it. The value itself is not repeated: it may be a secret. */
function addPair(pairs: Record<string, string>, text: string, { sign, what }: { sign: string; what: string }) {
  const at = text.indexOf(sign);
  const key = text.slice(0, Math.max(0, at)).trim();
  if (key === '') return `${what}.`;
  const value = text.slice(at + 1);
  pairs[key] = sign === ':' ? value.trim() : value;
  return undefined;
}

function addNames(names: string[], text: string): undefined {
  names.push(
    ...text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
}
