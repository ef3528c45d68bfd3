/** The words after `castor mcp serve`: its own flags, and those of castor that decide what every prompt may do. */

import { parseArguments } from '../args/args.ts';
import type { CliArguments } from '../args/args.ts';
import { UsageError } from '../exit-codes.ts';

const DEFAULT_PORT = 7820;

export const HELP = `castor mcp serve: offer Castor to other programs as an MCP server.

Usage: castor mcp serve [--http [--port <number>]] [flags]

The tools run_prompt and continue_session give Castor a task in the current
folder. A client that supports elicitation is asked before each call that needs
approval; for any other client such calls are denied.

      --http           Serve streamable HTTP on 127.0.0.1 instead of stdio. Clients
                       send the token in CASTOR_MCP_TOKEN, else that in
                       ~/.gemini/mcp-serve-token, as Authorization: Bearer.
      --port <number>  With --http: the port. Default ${DEFAULT_PORT}; 0 for a free one.

Flags for every prompt, as in castor --help: --model, --approval-mode, --yolo,
--allowed-tools, --allowed-mcp-server-names, --policy, --admin-policy,
--include-directories, --skip-trust, --ignore-env, --extensions, --max-turns,
--max-tokens, --max-cost, --max-time, --debug. Budgets apply to each prompt.
`;

/** Flags that decide what a prompt may do; any other flag is about a run of its own. */
const FLAGS: ReadonlySet<string> = new Set<keyof CliArguments>([
  ...(['model', 'approvalMode', 'yolo', 'allowedTools', 'allowedMcpServerNames', 'policy', 'adminPolicy'] as const),
  ...(['includeDirectories', 'skipTrust', 'ignoreEnv', 'extensions', 'maxTurns', 'maxTokens', 'maxCost'] as const),
  ...(['maxTime', 'debug', 'fakeResponses', 'fakeResponsesNonStrict'] as const),
]);

export interface ServeWords {
  readonly isHelp: boolean;
  readonly isHttp: boolean;
  readonly port: number;
  readonly args: CliArguments;
}

/** Throws a UsageError. */
export function readServeWords(words: readonly string[]): ServeWords {
  const flags: string[] = [];
  let isHelp = false;
  let isHttp = false;
  let port: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (word === '--help' || word === '-h') isHelp = true;
    else if (word === '--http') isHttp = true;
    else if (word === '--port') port = words[(index += 1)] ?? '';
    else if (word.startsWith('--port=')) port = word.slice('--port='.length);
    else flags.push(word);
  }
  if (port !== undefined && !isHttp) throw new UsageError('--port needs --http.');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`--port must be a number from 0 to 65535, not "${port}".`);
  return { isHelp, isHttp, port: port === undefined ? DEFAULT_PORT : Number(port), args: readFlags(flags) };
}

function readFlags(flags: readonly string[]): CliArguments {
  const args = parseArguments(flags);
  const idle = Object.keys(args).find((name) => !FLAGS.has(name));
  if (idle === undefined) return args;
  const name =
    idle === 'query' ? `"${args.query}"` : `--${idle.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${name} has no effect on castor mcp serve. castor mcp serve --help lists its flags.`);
}
