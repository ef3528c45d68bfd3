/**
 * The outcome of a tool call under the contract, and assertions on it: it returned a result or threw a ToolError, and
 * nothing else.
 */

import assert from 'node:assert/strict';
import type { ContractContext, ContractInvocation, ContractResult, ContractTool } from './contract-tool.ts';

export function context(signal = new AbortController().signal): ContractContext {
  return { callId: 'contract-1', signal, onOutput: () => undefined, onPid: () => undefined };
}

export interface Outcome {
  result?: ContractResult;
  error?: unknown;
}

export async function settle(
  tool: ContractTool,
  args: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<Outcome> {
  try {
    return await settleInvocation(tool.build(args), signal);
  } catch (error) {
    return { error };
  }
}

export async function settleInvocation(invocation: ContractInvocation, signal?: AbortSignal): Promise<Outcome> {
  try {
    return { result: await invocation.execute(context(signal)) };
  } catch (error) {
    return { error };
  }
}

/** The failure's type; undefined for a success. */
export function typeOf({ result, error }: Outcome): string | undefined {
  if (result) return result.error && (result.error.type ?? 'unknown');
  return isToolError(error) ? error.type : undefined;
}

function isToolError(error: unknown): error is Error & { type: string } {
  return error instanceof Error && error.name === 'ToolError' && typeof (error as { type?: unknown }).type === 'string';
}

export function assertInvalid(tool: ContractTool, args: Record<string, unknown>, what: string): void {
  let thrown: unknown;
  try {
    tool.build(args);
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown !== undefined, `accepted: ${what}`);
  assert.ok(isToolError(thrown), `${what}: ${describeOutcome({ error: thrown })}`);
  assert.equal(thrown.type, 'invalid_tool_params', what);
}

/** A result or a ToolError; anything else thrown is a bug of the tool. */
export function assertSettled(outcome: Outcome): void {
  if (outcome.result) assertResult(outcome.result);
  else assert.ok(isToolError(outcome.error), `threw ${describeOutcome(outcome)}`);
}

/** A tool with nothing to wait for may return its result all the same. */
export function assertAborted(outcome: Outcome): void {
  if (outcome.result) assertResult(outcome.result);
  else {
    const isAbort = outcome.error instanceof Error && outcome.error.name === 'AbortError';
    assert.ok(isAbort, `an abort became ${describeOutcome(outcome)}`);
  }
}

export function assertResult(result: ContractResult): void {
  assert.ok(result.llmContent !== undefined, 'no llmContent');
  assert.ok(result.returnDisplay !== undefined, 'no returnDisplay');
  assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
}

export function describeOutcome({ result, error }: Outcome): string {
  if (!result) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return (JSON.stringify(result.error ?? result.llmContent) ?? '').slice(0, 500);
}
