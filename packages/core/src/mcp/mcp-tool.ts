/**
 * Makes a tool of ours from a tool a server lists: its name, its bounded description, its schema, the question before
 * a call, and the call itself with live progress. The server's words are data.
 */

import { getErrorMessage, isAbortError } from '../protocol/errors.ts';
import type { DefinedTool, ToolResult } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';
import { wrapUntrusted } from '../tools/tool-output.ts';
import { AsyncQueue } from '../util/async-queue.ts';
import { sha256 } from '../util/sha256.ts';
import { cleanDescription, cleanLine } from './clean-text.ts';
import { isServersWord } from './connection.ts';
import type { McpConnection } from './connection.ts';
import type { ListedTool } from './listed-items.ts';
import type { RequestOptions } from './rpc-session.ts';
import type { McpServer } from './server-config.ts';
import { toStableJson } from './server-config.ts';
import { toToolName } from './tool-name.ts';
import { toToolResult } from './tool-result.ts';
import { toToolSchema } from './tool-schema.ts';

const MAX_DESCRIPTION = 4_000;
const MAX_NAME = 200;
/** Live progress of one call. */
const MAX_UPDATES = 500;

/** Calls the tool on the current connection. Rejects with a sentence while there is none. */
export type CallServer = (
  tool: string,
  args: Record<string, unknown>,
  options: RequestOptions,
) => ReturnType<McpConnection['callTool']>;

/**
 * Returns the reason, worded to follow the tool's name, for a tool that cannot be offered. `fingerprints` holds those of
 * all tools in the same list.
 */
export function createMcpTool(
  listed: ListedTool,
  server: McpServer,
  call: CallServer,
  fingerprints: Record<string, string> = {},
): DefinedTool | string {
  if (listed.needsTask) return 'it can only be called as a task, which Castor does not support';
  const schema = toToolSchema(listed.inputSchema);
  if (typeof schema === 'string') return schema;
  const name = toToolName(server.name, listed.name);
  const shown = cleanLine(listed.name, MAX_NAME);
  const description = cleanDescription(listed.description, MAX_DESCRIPTION);
  const displayName = `${shown} (${server.name} MCP Server)`;
  const tool = defineTool({
    name,
    displayName,
    kind: 'other',
    description,
    schema: schema.checked,
    confirm: async (args) => ({
      type: 'mcp',
      title: 'Confirm MCP Tool Execution',
      serverName: server.name,
      toolName: shown,
      toolDisplayName: displayName,
      args,
      description,
    }),
    async *execute(args, { signal }) {
      const updates = new AsyncQueue<string>();
      let count = 0;
      const answer = call(listed.name, args, {
        timeoutMs: server.timeoutMs,
        signal,
        onProgress: (params) => {
          const line = describeProgress(params);
          if (line !== '' && count++ < MAX_UPDATES) updates.push(`${line}\n`);
        },
      }).finally(() => updates.close());
      // The loop below reports the failure; a rejection must not be unhandled until it does.
      answer.catch(() => undefined);
      yield* updates;
      try {
        return toToolResult(shown, await answer);
      } catch (error) {
        if (isAbortError(error) || signal.aborted) throw error;
        return failedCall(server.name, shown, error);
      }
    },
  });
  const fingerprint = [listed.description, listed.inputSchema ?? null]
    .map((part) => sha256(toStableJson(part)))
    .join('.');
  fingerprints[listed.name] = fingerprint;
  return {
    ...tool,
    schema: { ...tool.schema, parametersJsonSchema: schema.declared },
    server: {
      name: server.name,
      tool: listed.name,
      isTrusted: server.trust,
      isProject: server.source === 'project',
      annotations: listed.annotations,
      fingerprint,
      fingerprints: () => fingerprints,
    },
  };
}

function failedCall(server: string, tool: string, error: unknown): ToolResult {
  const reason = cleanDescription(getErrorMessage(error), 2_000);
  const what = `MCP tool '${tool}' of the server '${server}' failed:`;
  const message = isServersWord(error) ? `${what}\n${wrapUntrusted(reason)}` : `${what} ${reason}`;
  return { llmContent: message, returnDisplay: `${what} ${reason}`, error: { message, type: 'mcp_tool_error' } };
}

/** `message 33%`; the number alone for an unknown total. */
function describeProgress({ progress, total, message }: Record<string, unknown>): string {
  const words = typeof message === 'string' ? cleanLine(message, 500) : '';
  if (typeof progress !== 'number' || !Number.isFinite(progress)) return words;
  const isShare = typeof total === 'number' && Number.isFinite(total) && total > 0;
  const figure = isShare ? `${Math.min(100, Math.max(0, Math.round((progress / total) * 100)))}%` : String(progress);
  return words === '' ? figure : `${words} ${figure}`;
}
