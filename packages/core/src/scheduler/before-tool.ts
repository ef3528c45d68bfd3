/**
 * Builds a requested call and takes it through the BeforeTool hook, for the scheduler and for a `ToolExecutor` that is
 * used alone.
 */

import { ToolError } from '../protocol/errors.ts';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { ReadyCall } from './ready-call.ts';
import type { ToolHookInput, ToolHooks, ToolLookup } from './ports.ts';

export interface BeforeToolTerms {
  tools: ToolLookup;
  hooks?: ToolHooks | undefined;
  /** Called with the call that the hook refuses. */
  onRefused?: ((call: ReadyCall) => Promise<void>) | undefined;
}

/** Throws ToolError for an unknown tool and for invalid arguments. */
export function buildCall(request: ToolCallRequestInfo, tools: ToolLookup): ReadyCall {
  const tool = tools.getTool(request.name);
  if (!tool) throw tools.notFound(request.name);
  return { kind: 'ready', request, tool, invocation: tool.build(request.args) };
}

/** The call with the hook's arguments, and whether the hook wants the user to be asked. Throws the hook's refusal. */
export async function throughBeforeTool(
  call: ReadyCall,
  { tools, hooks, onRefused }: BeforeToolTerms,
  signal: AbortSignal,
): Promise<{ call: ReadyCall; mustAsk: boolean }> {
  if (!hooks?.beforeTool) return { call, mustAsk: false };
  const decision = await tryUntilAborted(async () => hooks.beforeTool?.(toHookInput(call), signal), signal);
  if (!decision) return { call, mustAsk: false };
  if (decision.kind === 'stop' || decision.kind === 'deny') await onRefused?.(call);
  if (decision.kind === 'stop') {
    throw new ToolError(`Agent execution stopped by hook: ${decision.reason}`, 'stop_execution');
  }
  if (decision.kind === 'deny') {
    throw new ToolError(`Tool execution blocked: ${decision.reason}`, 'policy_violation');
  }
  const mustAsk = decision.kind === 'ask';
  const { args } = decision;
  const asked = { ...call.request, ...(mustAsk && { forcedAsk: true }) };
  if (!args) return { call: { ...call, request: asked }, mustAsk };
  return { call: buildCall({ ...asked, args, inputModifiedByHook: true }, tools), mustAsk };
}

export function toHookInput({ request, tool }: ReadyCall): ToolHookInput {
  const { callId, args, originalRequestName } = request;
  return {
    callId,
    toolName: tool.name,
    args,
    originalToolName: originalRequestName,
  };
}
