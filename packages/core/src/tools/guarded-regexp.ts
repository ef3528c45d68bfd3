/**
 * Runs the model's patterns so that none can hang the program: the engine aborts work that
 * takes too long. Callers pass batches of bounded size; the limit applies to each batch.
 */

import type { Context } from 'node:vm';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import type { ToolErrorType } from '../protocol/tools.ts';
import type { Script } from 'node:vm';
import { builtin } from '../util/builtin-modules.ts';

const BATCH_TIMEOUT_MS = 2_000;

interface Sandbox {
  context: Context;
  script: Script;
}

/** Created once: a context costs a millisecond and keeps no state between runs. */
let sandbox: Sandbox | undefined;

/** Runs synchronous work; throws ToolError of the given type, naming the pattern, when it takes too long. */
export function runGuarded<T>(work: () => T, pattern: string, type: ToolErrorType): T {
  sandbox ??= { context: builtin.vm.createContext({}), script: new builtin.vm.Script('work()') };
  const { context, script } = sandbox;
  const results: T[] = [];
  context['work'] = () => {
    results.push(work());
  };
  try {
    script.runInContext(context, { timeout: BATCH_TIMEOUT_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const message = `The pattern "${pattern}" takes too long to match. Use a simpler one.`;
    throw new ToolError(message, type, { cause: error });
  } finally {
    delete context['work'];
  }
  return results[0] as T;
}

/** Throws ToolError of type invalid_tool_params when the pattern is an invalid regular expression. */
export function compilePattern(pattern: string, options: { caseSensitive: boolean }): RegExp {
  // ripgrep patterns may begin with inline flags, which JavaScript does not support.
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const body = inline ? pattern.slice(inline[0].length) : pattern;
  const flags = [...new Set(`${options.caseSensitive ? '' : 'i'}${inline?.[1] ?? ''}`)].join('');
  try {
    return new RegExp(body, `${flags}u`);
  } catch {
    // Unicode mode rejects meaningless escapes, which models write often.
  }
  try {
    return new RegExp(body, flags);
  } catch (error) {
    const message = `Invalid regular expression "${pattern}": ${getErrorMessage(error)}`;
    throw new ToolError(message, 'invalid_tool_params', { cause: error });
  }
}
