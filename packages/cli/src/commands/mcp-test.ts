/** `castor mcp test`: tries one server for its author, as text or JSON, with an exit code for CI. */

import { readFileSync } from 'node:fs';
import { countOf, isRecord, tryServer } from '@castor/core/program';
import type { TriedServer } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { toJson } from '../to-json.ts';
import { connectionOptions, findServers, noteWarnings } from './find-servers.ts';
import { lastLines } from './mcp-list.ts';
import { requireServer } from './mcp-login.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export interface TestOptions {
  tool?: string | undefined;
  args?: string | undefined;
  isJson: boolean;
  isStrict: boolean;
  limitMs?: number | undefined;
}

const MOST_ITEMS = 50;
const STDERR_LINES = 10;

export async function testServer(name: string, options: TestOptions, context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  const { tool, isJson, isStrict, limitMs } = options;
  if (tool === undefined && options.args !== undefined) throw new ExitError(ExitCode.Input, '--args needs --tool.');
  const args = readArguments(options.args);
  const found = await findServers(context);
  noteWarnings(found, context);
  const configured = requireServer(name, found);
  const server = limitMs === undefined ? configured : { ...configured, startLimitMs: limitMs, timeoutMs: limitMs };
  const tried = await tryServer(server, {
    ...connectionOptions(context, found),
    limitMs: server.startLimitMs,
    call: tool === undefined ? undefined : { tool, args },
    ...(!isJson && { onOutput: (text) => output.note(text.trimEnd()) }),
  });
  const code = exitCodeOf(tried, isStrict);
  await output.answer(isJson ? `${toJson(toReport(tried, code), { indent: 2 })}\n` : toText(name, tried));
  return code;
}

function readArguments(text = '{}'): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch (error) {
    throw new ExitError(ExitCode.Input, `--args is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  if (isRecord(value)) return value;
  throw new ExitError(ExitCode.Input, '--args must be a JSON object, such as {"path":"a.txt"}.');
}

function exitCodeOf({ state, call, warnings }: TriedServer, isStrict: boolean): ExitCode {
  if (state.status !== 'ready') return state.needsSignIn ? ExitCode.Unauthorized : ExitCode.Failure;
  if (call?.refusal !== undefined) return ExitCode.Input;
  const isBad = call?.isError === true || state.leftOut.length > 0 || (isStrict && warnings.length > 0);
  return isBad ? ExitCode.Failure : ExitCode.Success;
}

function toReport(tried: TriedServer, exitCode: ExitCode): object {
  const { state, call, steps, tools, warnings, stderr, ...about } = tried;
  const { status, lastError, connectMs, prompts, resources, templates, instructions } = state;
  const isReady = status === 'ready';
  return {
    server: state.name,
    ok: exitCode === ExitCode.Success,
    status,
    ...(!isReady && { error: lastError, needsSignIn: state.needsSignIn === true }),
    ...about,
    connectMs,
    steps,
    tools,
    prompts,
    resources,
    templates,
    instructions,
    warnings,
    stderr,
    ...(call && {
      call: { ms: call.ms, isError: call.isError, refusal: call.refusal, result: call.result, text: call.text },
    }),
  };
}

function toText(name: string, tried: TriedServer): string {
  const { state, transport, serverName, serverVersion, protocolVersion, capabilities, steps, call } = tried;
  const isReady = state.status === 'ready';
  const late = state.status === 'connecting' ? 'It was not ready within the limit.' : 'It failed.';
  const head = isReady
    ? `✓ ${name}: ready after ${state.connectMs} ms (${transport})`
    : `✗ ${name}: ${state.lastError ?? late}`;
  const about =
    protocolVersion === undefined
      ? []
      : [
          `  server     ${[serverName, serverVersion].filter((part) => part !== undefined).join(' ')}`,
          `  protocol   ${protocolVersion}`,
          `  offers     ${capabilities.join(', ') || 'nothing'}`,
        ];
  const stderr = lastLines(tried.stderr, STDERR_LINES);
  const listing = [
    ...block(
      'Tools',
      tried.tools.map(
        (tool) =>
          `${tool.callName === undefined ? '✗ ' : ''}${tool.name}${tool.description === '' ? '' : ` - ${tool.description}`}`,
      ),
    ),
    ...block(
      'Prompts',
      state.prompts.map(({ name: prompt, arguments: given }) =>
        [prompt, ...given.map((each) => `<${each.name}>`)].join(' '),
      ),
    ),
    ...block(
      'Resources',
      state.resources.map(({ uri }) => uri),
    ),
    ...block(
      'Templates',
      state.templates.map(({ uriTemplate }) => uriTemplate),
    ),
  ];
  const called = call
    ? [`Call${call.ms === undefined ? '' : ` (${call.ms} ms)`}${call.isError ? ', failed' : ''}:`, ...indent(call.text)]
    : [];
  return [
    head,
    ...about,
    // An error of the call is what the author looks for.
    ...(call?.isError === true ? called : []),
    ...block(
      'Times',
      steps.map(({ name: step, ms }) => `${step.padEnd(26)} ${ms === undefined ? 'no answer' : `${ms} ms`}`),
    ),
    ...(call?.isError === true ? [] : listing),
    ...(call?.isError === true ? [] : called),
    ...block('Warnings', tried.warnings),
    ...(stderr === undefined ? [] : ['The end of stderr:', ...indent(stderr)]),
    '',
  ].join('\n');
}

function block(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const left = items.length - MOST_ITEMS;
  const shown = items.slice(0, MOST_ITEMS).flatMap(indent);
  return [`${title} (${items.length}):`, ...shown, ...(left > 0 ? [`  and ${countOf(left, 'more')}`] : [])];
}

function indent(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`);
}
