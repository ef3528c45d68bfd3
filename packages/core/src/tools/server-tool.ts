/**
 * Makes a `ServerTool` of the documents (name, schema, execute, shouldConfirmExecute) a tool the runtime can schedule.
 * Exists for readers of the documents: our own tools come from `defineTool`.
 */

import type { DefinedTool, ServerTool } from '../protocol/tools.ts';
import { defineTool } from './define-tool.ts';

/** Tools of `defineTool` pass unchanged. Throws for an object that is neither. */
export function toDefinedTool(tool: ServerTool): DefinedTool {
  if (isDefined(tool)) return tool;
  const { name, schema } = tool;
  if (typeof tool.execute !== 'function' || typeof tool.shouldConfirmExecute !== 'function') {
    throw new TypeError(
      `Tool "${name}" needs name, schema, execute(params, signal) and shouldConfirmExecute(params, signal). ` +
        'Add them, or make the tool with defineTool.',
    );
  }
  const defined = defineTool({
    name,
    displayName: name,
    // Whatever it does, it may have effects: it runs alone and the policy is asked.
    kind: 'other',
    description: schema.description ?? '',
    // `parameters` is the service's own dialect, which no JSON Schema validator reads.
    schema: (schema.parametersJsonSchema as Record<string, unknown> | undefined) ?? { type: 'object' },
    describe: (params) => `${name} ${JSON.stringify(params)}`,
    confirm: async (params, signal) => tool.shouldConfirmExecute(params, signal),
    execute: async (params, { signal }) => tool.execute(params, signal),
  });
  return { ...defined, schema: { ...schema, name } };
}

function isDefined(tool: ServerTool): tool is DefinedTool {
  return typeof (tool as Partial<DefinedTool>).build === 'function';
}
