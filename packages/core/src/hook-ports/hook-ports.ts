/**
 * Adapts the hook system to the ports of client, chat and scheduler: it turns hook output into decisions, and sends hook
 * messages for the user to the session's stream. A port has only the members with a configured hook at the moment, so
 * the others cost nothing.
 */

import { assertLegalConversation } from '../chat/legality.ts';
import type { AfterModelDecision, BeforeModelDecision, ModelHooks, ToolSelection } from '../chat/model-hooks.ts';
import type { AfterAgentDecision, AgentHooks, BeforeAgentDecision } from '../client/agent-hooks.ts';
import { toHookContext } from '../client/prompt-gates.ts';
import type {
  HookEventName,
  HookLlmRequest,
  HookOutput,
  SessionEndReason,
  SessionStartSource,
} from '../hooks/hook-events.ts';
import { reasonOf } from '../hooks/hook-merge.ts';
import type { HookMessage, HookSystem } from '../hooks/hook-system.ts';
import {
  applyHookRequest,
  applyHookResponse,
  fromHookResponse,
  toHookRequest,
  toHookResponse,
} from '../hooks/llm-translation.ts';
import type { GenerateContentParameters } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ToolCallConfirmationDetails } from '../protocol/tools.ts';
import type { AfterToolDecision, BeforeToolDecision, ToolHookInput, ToolHooks } from '../scheduler/ports.ts';

/** Receives a hook's message for the user. */
export type TellUser = (message: HookMessage) => void;

export interface HookPorts {
  agent: AgentHooks;
  model: ModelHooks;
  tool: ToolHooks;
  /** Resolves with the hooks' context for the model, framed; undefined without any. */
  sessionStart(source: SessionStartSource, signal: AbortSignal): Promise<string | undefined>;
  sessionEnd(reason: SessionEndReason, signal: AbortSignal): Promise<void>;
  /** Settles when the hooks of every sent notification have finished. */
  idle(): Promise<void>;
}

export function createHookPorts(system: HookSystem, tell: TellUser): HookPorts {
  const { tool, idle } = toolPort(system, tell);
  return {
    agent: agentPort(system, tell),
    model: modelPort(system, tell),
    tool,
    idle,
    async sessionStart(source, signal) {
      const output = await system.fire('SessionStart', { source }, signal);
      say(tell, 'SessionStart', output);
      const context = output.hookSpecificOutput?.additionalContext;
      return context && toHookContext(context);
    },
    async sessionEnd(reason, signal) {
      say(tell, 'SessionEnd', await system.fire('SessionEnd', { reason }, signal));
    },
  };
}

function agentPort(system: HookSystem, tell: TellUser): AgentHooks {
  const port: Required<AgentHooks> = {
    async beforeAgent(prompt, signal): Promise<BeforeAgentDecision> {
      const output = await system.fire('BeforeAgent', { prompt }, signal);
      const ended = toEnd(output);
      if (ended) return ended;
      say(tell, 'BeforeAgent', output);
      const context = output.hookSpecificOutput?.additionalContext;
      return { kind: 'proceed', ...(context && { additionalContext: context }) };
    },
    async afterAgent({ prompt, response, stopHookActive }, signal): Promise<AfterAgentDecision> {
      const payload = { prompt, prompt_response: response, stop_hook_active: stopHookActive };
      const output = await system.fire('AfterAgent', payload, signal);
      const ended = toEnd(output);
      if (ended) return { ...ended, ...(output.hookSpecificOutput?.clearContext && { clearContext: true }) };
      say(tell, 'AfterAgent', output);
      return { kind: 'proceed' };
    },
    async preCompress(trigger, signal): Promise<void> {
      say(tell, 'PreCompress', await system.fire('PreCompress', { trigger }, signal));
    },
  };
  return inUse(system, port, { beforeAgent: 'BeforeAgent', afterAgent: 'AfterAgent', preCompress: 'PreCompress' });
}

function modelPort(system: HookSystem, tell: TellUser): ModelHooks {
  const requests = new WeakMap<GenerateContentParameters, HookLlmRequest>();
  // Cached: it is needed for every piece of an answer, and as long as the whole conversation.
  const toRequest = (request: GenerateContentParameters): HookLlmRequest => {
    const known = requests.get(request) ?? toHookRequest(request);
    requests.set(request, known);
    return known;
  };
  const port: Required<ModelHooks> = {
    async beforeModel(request, signal): Promise<BeforeModelDecision> {
      const output = await system.fire('BeforeModel', { llm_request: toRequest(request) }, signal);
      say(tell, 'BeforeModel', output);
      const { llm_request: change, llm_response: answer } = output.hookSpecificOutput ?? {};
      const end = toEnd(output);
      if (end) {
        const response = end.kind === 'block' && answer ? fromHookResponse(answer) : undefined;
        return { kind: end.kind, reason: end.reason, ...(response && { response }) };
      }
      const made = answer && fromHookResponse(answer);
      if (made?.candidates?.[0]?.content?.parts?.some(({ text }) => text?.trim()))
        return { kind: 'answer', response: made };
      const changed = change && legal(applyHookRequest(request, change), tell);
      return { kind: 'proceed', ...(changed && { request: changed }) };
    },
    async beforeToolSelection(request, signal): Promise<ToolSelection | undefined> {
      const output = await system.fire('BeforeToolSelection', { llm_request: toRequest(request) }, signal);
      say(tell, 'BeforeToolSelection', output);
      return toSelection(request, output);
    },
    async afterModel(request, response, signal): Promise<AfterModelDecision> {
      const payload = { llm_request: toRequest(request), llm_response: toHookResponse(response) };
      const output = await system.fire('AfterModel', payload, signal);
      say(tell, 'AfterModel', output);
      const change = output.hookSpecificOutput?.llm_response;
      const replaced = change && applyHookResponse(response, change);
      const end = toEnd(output);
      if (end) {
        const { kind, reason } = end;
        return { kind, reason, ...(kind === 'block' && replaced && { response: replaced }) };
      }
      return { kind: 'proceed', ...(replaced && { response: replaced }) };
    },
  };
  return inUse(system, port, {
    beforeModel: 'BeforeModel',
    beforeToolSelection: 'BeforeToolSelection',
    afterModel: 'AfterModel',
  });
}

function toolPort(system: HookSystem, tell: TellUser): { tool: ToolHooks; idle(): Promise<void> } {
  const open = new Set<Promise<void>>();
  const never = new AbortController().signal;
  const port: Required<ToolHooks> = {
    async beforeTool(input, signal): Promise<BeforeToolDecision> {
      const output = await system.fire('BeforeTool', toToolPayload(input), signal);
      say(tell, 'BeforeTool', output);
      const end = toEnd(output);
      if (end) return { kind: end.kind === 'stop' ? 'stop' : 'deny', reason: end.reason };
      const args = output.hookSpecificOutput?.tool_input;
      return { kind: output.decision === 'ask' ? 'ask' : 'proceed', ...(args && { args }) };
    },
    async afterTool({ result, ...input }, signal): Promise<AfterToolDecision> {
      const { llmContent, returnDisplay, error } = result;
      const tool_response = { llmContent, returnDisplay, ...(error && { error }) };
      const output = await system.fire('AfterTool', { ...toToolPayload(input), tool_response }, signal);
      say(tell, 'AfterTool', output);
      const end = toEnd(output);
      if (end) return { kind: end.kind === 'stop' ? 'stop' : 'deny', reason: end.reason };
      const { additionalContext: context, tailToolCallRequest: tailCall } = output.hookSpecificOutput ?? {};
      return {
        kind: 'proceed',
        ...(context && { additionalContext: toHookContext(context) }),
        ...(tailCall && { tailCall }),
      };
    },
    personAsked(details: ToolCallConfirmationDetails): void {
      const message = `Your permission is needed: ${details.title}`;
      const payload = { notification_type: 'ToolPermission' as const, message, details: { ...details } };
      const fired = system.fire('Notification', payload, never).then(
        (output) => say(tell, 'Notification', output),
        // Only an abort throws, and this call cannot be aborted.
        () => undefined,
      );
      open.add(fired);
      void fired.finally(() => open.delete(fired));
    },
  };
  const tool = inUse<ToolHooks>(system, port, {
    beforeTool: 'BeforeTool',
    afterTool: 'AfterTool',
    personAsked: 'Notification',
  });
  return { tool, idle: async () => void (await Promise.all(open)) };
}

/** The port with only those members that have a configured hook at the time of the call. */
function inUse<T extends object>(
  system: HookSystem,
  port: Required<T>,
  events: Readonly<Record<keyof T, HookEventName>>,
): T {
  const members = (Object.keys(events) as (keyof T)[]).map((name) => [
    name,
    { enumerable: true, get: () => (system.has(events[name]) ? port[name] : undefined) },
  ]);
  return Object.defineProperties({}, Object.fromEntries(members) as PropertyDescriptorMap) as T;
}

function toToolPayload({ toolName, args, originalToolName }: ToolHookInput) {
  return {
    tool_name: toolName,
    tool_input: args,
    ...(originalToolName !== undefined && { original_request_name: originalToolName }),
  };
}

/** Undefined: continue. The ending carries the message, so that it is shown once. */
function toEnd(output: HookOutput): { kind: 'stop' | 'block'; reason: string; systemMessage?: string } | undefined {
  const kind = output.continue === false ? 'stop' : output.decision === 'deny' ? 'block' : undefined;
  if (!kind) return undefined;
  const { systemMessage, suppressOutput } = output;
  return { kind, reason: reasonOf(output), ...(systemMessage && !suppressOutput && { systemMessage }) };
}

function say(tell: TellUser, hookEvent: HookEventName, { systemMessage, suppressOutput }: HookOutput): void {
  if (systemMessage && !suppressOutput) tell({ hookEvent, level: 'info', message: systemMessage });
}

/** Drops a hook's request that the service would reject: the original request is sent instead. */
function legal(request: GenerateContentParameters | undefined, tell: TellUser): GenerateContentParameters | undefined {
  if (!request) return undefined;
  try {
    assertLegalConversation(request.contents);
    return request;
  } catch (error) {
    const message = `The request of a BeforeModel hook is invalid and was ignored: ${getErrorMessage(error)}`;
    tell({ hookEvent: 'BeforeModel', level: 'warning', message });
    return undefined;
  }
}

/** The service accepts names only with ANY; for AUTO the other tools are removed from the request instead. */
function toSelection(
  { config = {} }: GenerateContentParameters,
  { hookSpecificOutput }: HookOutput,
): ToolSelection | undefined {
  const { mode, allowedFunctionNames } = hookSpecificOutput?.toolConfig ?? {};
  if (!mode) return undefined;
  const names = new Set(allowedFunctionNames);
  const declared = (config.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const known = declared.flatMap(({ name }) => (name !== undefined && names.has(name) ? [name] : []));
  // All named tools are unknown: the model cannot be forced to call one of them.
  if (mode === 'ANY' && names.size > 0 && known.length === 0)
    return { toolConfig: { functionCallingConfig: { mode: 'NONE' } } };
  const functionCallingConfig = { mode, ...(mode === 'ANY' && known.length > 0 && { allowedFunctionNames: known }) };
  if (mode !== 'AUTO' || names.size === 0) return { toolConfig: { functionCallingConfig } };
  const tools = (config.tools ?? []).flatMap((tool) => {
    if (!tool.functionDeclarations) return [tool];
    const functionDeclarations = tool.functionDeclarations.filter(({ name }) => name !== undefined && names.has(name));
    return functionDeclarations.length > 0 ? [{ ...tool, functionDeclarations }] : [];
  });
  return { toolConfig: { functionCallingConfig }, tools };
}
