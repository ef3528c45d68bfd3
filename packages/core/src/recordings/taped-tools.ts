/** Puts a tape around tools. Inside the guard of secrets: a replay has to find the same marks in what the tape holds. */

import type { DefinedTool, ToolInvocation } from '../protocol/tools.ts';
import type { RunTape } from './run-tape.ts';

interface Lookup {
  getTool(name: string): DefinedTool | undefined;
  notFound(name: string): Error;
}

/** They only read and write files of the workspace, or change nothing outside the session: a replay runs them. */
const REPRODUCIBLE: ReadonlySet<string> = new Set([
  ...['read_file', 'write_file', 'replace', 'apply_patch', 'write_todos', 'enter_plan_mode', 'exit_plan_mode'],
  ...['invoke_agent', 'complete_task'],
]);

export function tapeTools(tools: Lookup, tape: RunTape): Lookup {
  return {
    notFound: (name) => tools.notFound(name),
    getTool(name) {
      const tool = tools.getTool(name);
      return tool && withTape(tool, tape);
    },
  };
}

function withTape(tool: DefinedTool, tape: RunTape): DefinedTool {
  const build = (args: Record<string, unknown>): ToolInvocation => {
    const invocation = tool.build(args);
    const { name } = tool;
    const taped = Object.create(invocation) as ToolInvocation;
    taped.execute = (context) =>
      tape.execute({ tool: name, args: invocation.params, context, isReproducible: REPRODUCIBLE.has(name) }, () =>
        invocation.execute(context),
      );
    return taped;
  };
  return { ...tool, build };
}
