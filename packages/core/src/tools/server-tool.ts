/**
 * Converts a documented `ServerTool` (name, schema, execute, shouldConfirmExecute) to a
 * tool the runtime can schedule. It supports tools written from the documentation: our own
 * tools use `defineTool`.
 */

import { ToolError } from '../protocol/errors.ts';
import type { DefinedTool, ServerTool, ToolResult } from '../protocol/tools.ts';
import { defineTool } from './define-tool.ts';

/** Tools of `defineTool` pass unchanged. Throws for any other object. */
export function toDefinedTool(tool: ServerTool): DefinedTool {
  if (isDefined(tool)) return tool;
  const { name, schema } = tool;
  if (!schema || typeof tool.execute !== 'function' || typeof tool.shouldConfirmExecute !== 'function') {
    throw new TypeError(
      `Tool "${name}" needs name, schema, execute(params, signal) and shouldConfirmExecute(params, signal). ` +
        'Add them, or make the tool with defineTool.',
    );
  }
  const defined = defineTool({
    name,
    displayName: name,
    // It may have any effect: it runs alone and the policy decides.
    kind: 'other',
    description: schema.description ?? '',
    // `parameters` uses the service's own dialect, which JSON Schema validators do not support.
    schema: (schema.parametersJsonSchema as Record<string, unknown> | undefined) ?? { type: 'object' },
    describe: (params) => `${name} ${JSON.stringify(params)}`,
    confirm: async (params, signal) => tool.shouldConfirmExecute(params, signal),
    execute: async (params, { signal }) => requireResult(await tool.execute(params, signal), name),
  });
  return { ...defined, schema: { ...schema, name } };
}

/** JavaScript callers may forget it. */
function requireResult(result: ToolResult | undefined, name: string): ToolResult {
  if (result) return result;
  throw new ToolError(
    `The tool ${name} returned no result: {llmContent, returnDisplay} is missing.`,
    'execution_failed',
  );
}

function isDefined(tool: ServerTool): tool is DefinedTool {
  return typeof (tool as Partial<DefinedTool>).build === 'function';
}
