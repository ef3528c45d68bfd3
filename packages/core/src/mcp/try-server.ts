/**
 * Tries one MCP server for its author: connects, lists what it offers, calls a tool with given arguments, and reports
 * the time of every request, what the server got wrong, and the end of its stderr.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import type { ToolResult } from '../protocol/tools.ts';
import { guardOwnChildren } from '../tools/own-children.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import { isRecord } from '../util/is-record.ts';
import type { CheckServersOptions } from './check-servers.ts';
import { cleanContent, cleanLine } from './clean-text.ts';
import { McpManager } from './mcp-manager.ts';
import { createOpenTransport } from './open-transport.ts';
import type { McpServer } from './server-config.ts';
import type { OpenedTransport, OpenTransport } from './opened-transport.ts';
import type { McpServerState } from './server-state.ts';
import { TimedTransport } from './timed-transport.ts';
import type { TimedStep } from './timed-transport.ts';
import { isToolWanted, toToolName } from './tool-name.ts';

export interface TryServerOptions extends CheckServersOptions {
  call?: { tool: string; args: Record<string, unknown> } | undefined;
  /** A line of live output of the call. */
  onOutput?(text: string): void;
}

export interface TriedTool {
  name: string;
  /** As the model calls it; absent if it is not offered. */
  callName?: string | undefined;
  description: string;
}

export interface TriedCall {
  ms?: number | undefined;
  /** The server's own result. */
  result?: unknown;
  isError: boolean;
  /** Why there was no call: an unknown tool, or arguments that do not fit its schema. */
  refusal?: string | undefined;
  /** The failure or the result, for a screen. */
  text: string;
}

export interface TriedServer {
  state: McpServerState;
  /** How the connection was made in the end. */
  transport: 'stdio' | 'http' | 'sse';
  protocolVersion?: string | undefined;
  serverName?: string | undefined;
  serverVersion?: string | undefined;
  capabilities: string[];
  steps: { name: string; ms?: number | undefined }[];
  tools: TriedTool[];
  /** What the author should look at; none of it stops the server. */
  warnings: string[];
  stderr: string;
  call?: TriedCall | undefined;
}

/** Tools that are named where the wanted one is missing. */
const MOST_NAMES = 20;

/** Resolves when every process has ended. */
export async function tryServer(server: McpServer, options: TryServerOptions): Promise<TriedServer> {
  const { limitMs, signal, clientVersion, signInHint, call, clock = systemClock } = options;
  const steps: TimedStep[] = [];
  let opened: OpenedTransport | undefined;
  let { kind } = server.address;
  const children = guardOwnChildren();
  const openInner = createOpenTransport({ ...options, guard: children.guard, clock });
  const open: OpenTransport = async (each, attempt) => {
    const found = await openInner(each, attempt);
    if (!found) return undefined;
    if (kind === 'http-or-sse') kind = attempt === 'fallback' ? 'sse' : kind;
    opened = found;
    return { ...found, transport: new TimedTransport(found.transport, clock, steps) };
  };
  const tools = new ToolRegistry();
  const manager = new McpManager({ servers: [server], idle: [], tools, open, clientVersion, clock, signInHint });
  try {
    await manager.settle(limitMs, signal);
    await manager.settleOffers(limitMs, signal);
    const [state] = manager.servers;
    const isReady = state!.status === 'ready';
    const tried =
      call && isReady
        ? await tryCall(tools, server, { ...call, signal, steps, onOutput: options.onOutput })
        : undefined;
    const initialize = resultOf(steps, 'initialize')[0] ?? {};
    const { serverInfo, protocolVersion, capabilities } = initialize;
    const listed = listedTools(steps, server, tools);
    return {
      state: state!,
      transport: kind !== 'http-or-sse' ? kind : state!.isFallback === true ? 'sse' : 'http',
      protocolVersion: textOf(protocolVersion),
      serverName: isRecord(serverInfo) ? textOf(serverInfo['name']) : undefined,
      serverVersion: isRecord(serverInfo) ? textOf(serverInfo['version']) : undefined,
      capabilities: isRecord(capabilities) ? Object.keys(capabilities).map((name) => cleanLine(name, 100)) : [],
      steps: steps.map(({ name, ms }) => ({ name, ms })),
      tools: listed,
      warnings: [...state!.leftOut, ...findMistakes(listed, steps, opened?.strayBytes?.() ?? 0)],
      stderr: opened?.stderr() ?? '',
      call: tried,
    };
  } finally {
    await manager.dispose();
    await children.end();
  }
}

async function tryCall(
  tools: ToolRegistry,
  server: McpServer,
  {
    tool: name,
    args,
    signal,
    steps,
    onOutput,
  }: {
    tool: string;
    args: Record<string, unknown>;
    signal: AbortSignal;
    steps: readonly TimedStep[];
    onOutput: TryServerOptions['onOutput'];
  },
): Promise<TriedCall> {
  const tool = tools.getTool(toToolName(server.name, name)) ?? tools.getTool(name);
  if (!tool) {
    const names = tools.list().map((each) => cleanLine(each.server?.tool ?? each.name, 100));
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
    const text = `The server offers no tool ${cleanLine(name, 200)}. It offers: ${names.slice(0, MOST_NAMES).join(', ') || 'none'}${more}.`;
    return { isError: true, refusal: text, text };
  }
  let invocation: ReturnType<typeof tool.build>;
  try {
    invocation = tool.build(args);
  } catch (error) {
    const text = `The arguments do not fit the schema of ${name}: ${getErrorMessage(error)}`;
    return { isError: true, refusal: text, text };
  }
  const output = (text: unknown) => onOutput?.(typeof text === 'string' ? text : '');
  const done = await invocation.execute({ callId: 'test', signal, onOutput: output, onPid: () => {} });
  const step = steps.findLast((each) => each.name === 'tools/call');
  const result = step?.result;
  return {
    ms: step?.ms,
    result,
    isError: done.error !== undefined,
    text: done.error ? shownFailure(done) : describeResult(result),
  };
}

/** Without the marks for the model. */
function shownFailure({ returnDisplay, error }: ToolResult): string {
  return typeof returnDisplay === 'string' && returnDisplay !== '' ? returnDisplay : (error?.message ?? '');
}

/** Text as it is, anything else by its kind and size. */
function describeResult(result: unknown): string {
  const content: unknown[] = isRecord(result) && Array.isArray(result['content']) ? result['content'] : [];
  const lines = content.map((block) => {
    if (!isRecord(block)) return '[invalid content]';
    if (block['type'] === 'text') return cleanContent(String(block['text']));
    const size = JSON.stringify(block).length;
    return `[${cleanLine(String(block['type']), 50)}${typeof block['mimeType'] === 'string' ? ` ${cleanLine(block['mimeType'], 100)}` : ''}, ${size} characters]`;
  });
  const structured = isRecord(result) ? result['structuredContent'] : undefined;
  return [...lines, ...(structured === undefined ? [] : [JSON.stringify(structured, null, 2)])].join('\n');
}

function listedTools(steps: readonly TimedStep[], server: McpServer, tools: ToolRegistry): TriedTool[] {
  const isComplete = ({ name, result, isFurtherPage }: TimedStep) =>
    name === 'tools/list' && result !== undefined && isFurtherPage !== true;
  // A server that changes its list is asked again.
  const last = steps.slice(Math.max(0, steps.findLastIndex(isComplete)));
  const listed = resultOf(last, 'tools/list').flatMap((page) =>
    Array.isArray(page['tools']) ? (page['tools'] as unknown[]) : [],
  );
  return listed.flatMap((tool) => {
    if (!isRecord(tool) || typeof tool['name'] !== 'string') return [];
    const callName = toToolName(server.name, tool['name']);
    const isOffered = isToolWanted(tool['name'], server) && tools.getTool(callName) !== undefined;
    return [
      {
        name: cleanLine(tool['name'], 200),
        callName: isOffered ? callName : undefined,
        description: typeof tool['description'] === 'string' ? cleanLine(tool['description'], 200) : '',
      },
    ];
  });
}

function findMistakes(tools: readonly TriedTool[], steps: readonly TimedStep[], strayBytes: number): string[] {
  const nameless = tools.filter(({ description }) => description === '').map(({ name }) => name);
  const shortened = tools.flatMap(({ callName, name }) => (callName?.includes('...') ? [name] : []));
  const failed = steps.filter(({ error, name }) => error !== undefined && name.endsWith('/list'));
  return [
    ...(strayBytes > 0
      ? [`The server printed ${strayBytes} bytes to stdout that are not messages. Write logs to stderr.`]
      : []),
    ...(nameless.length > 0 ? [`These tools have no description for the model: ${nameless.join(', ')}.`] : []),
    ...(shortened.length > 0 ? [`The names of these tools are shortened for the model: ${shortened.join(', ')}.`] : []),
    ...failed.map(({ name, error }) => `${name} failed: ${cleanLine(JSON.stringify(error) ?? '', 300)}`),
  ];
}

function resultOf(steps: readonly TimedStep[], name: string): Record<string, unknown>[] {
  return steps.flatMap((step) => (step.name === name && isRecord(step.result) ? [step.result] : []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? cleanLine(value, 200) : undefined;
}
