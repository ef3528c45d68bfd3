import { expect, it } from 'vitest';
import type { DefinedTool } from '../protocol/tools.ts';
import type { ListedTool } from './listed-items.ts';
import type { McpServer } from './server-config.ts';
import { ToolSync } from './tool-sync.ts';

function openShelf() {
  const tools = new Map<string, DefinedTool>();
  const sync = new ToolSync({
    register: (tool) => tools.set(tool.name, tool) !== undefined,
    unregister: (name) => tools.delete(name),
    together: (work) => work(),
  });
  const connect = (server: string, tool: string) => {
    const listed = { name: tool, description: `${tool} of ${server}`, inputSchema: { type: 'object' } };
    const call = () => Promise.reject(new Error('Not called.'));
    return sync.apply(
      { name: server, excludeTools: [] } as unknown as McpServer,
      [listed as unknown as ListedTool],
      call as never,
    );
  };
  return { connect, serverOf: (name: string) => tools.get(name)?.server?.name };
}

it('gives a name that two servers could have to the same one, whichever connects first', () => {
  const first = openShelf();
  first.connect('a_b', 'c');
  expect(first.connect('a', 'b_c').leftOut).toEqual([
    'The tool b_c of the MCP server a was left out: the name mcp_a_b_c is taken.',
  ]);
  const second = openShelf();
  second.connect('a', 'b_c');
  expect(second.connect('a_b', 'c').leftOut).toEqual([
    'The tool mcp_a_b_c of the MCP server a was left out: a_b has a tool of this name.',
  ]);
  expect([first.serverOf('mcp_a_b_c'), second.serverOf('mcp_a_b_c')]).toEqual(['a_b', 'a_b']);
  // A list that changed brings no tool back.
  expect(second.connect('a', 'b_c').tools).toEqual([]);
});
