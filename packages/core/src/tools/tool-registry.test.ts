import { describe, expect, it } from 'vitest';
import type { DefinedTool } from '../protocol/tools.ts';
import { defineTool } from './define-tool.ts';
import { isToolEnabled, resolveToolName, ToolRegistry } from './tool-registry.ts';
import type { ToolsChange } from './tool-registry.ts';

function tool(name: string): DefinedTool {
  return defineTool({
    name,
    displayName: name,
    kind: 'other',
    description: `Does ${name}.`,
    schema: { type: 'object', properties: {} },
    describe: () => name,
    execute: async () => ({ llmContent: name, returnDisplay: name }),
  });
}

describe('ToolRegistry', () => {
  it('declares built-in tools as registered, then discovered and MCP tools by name', () => {
    const registry = new ToolRegistry([tool('read_file'), tool('glob')]);
    for (const name of ['mcp_b_x', 'mcp_a_x']) registry.register(tool(name), 'mcp');
    for (const name of ['discovered_tool_z', 'discovered_tool_y']) registry.register(tool(name), 'discovered');
    const names = ['read_file', 'glob', 'discovered_tool_y', 'discovered_tool_z', 'mcp_a_x', 'mcp_b_x'];
    expect(registry.declarations().map(({ name }) => name)).toEqual(names);
  });

  it('finds a tool by its legacy name', () => {
    const grep = tool('grep_search');
    expect(new ToolRegistry([grep]).getTool('search_file_content')).toBe(grep);
    expect(resolveToolName('constructor')).toBe('constructor');
  });

  it('does not let a foreign tool take a name of ours', () => {
    const ours = tool('read_file');
    const registry = new ToolRegistry([ours]);
    expect(registry.register(tool('read_file'), 'mcp')).toBe(false);
    expect(registry.register(tool('search_file_content'), 'mcp')).toBe(false);
    expect(registry.list()).toEqual([ours]);
  });

  it('replaces a tool of the same origin in place', () => {
    const registry = new ToolRegistry();
    const renewed = tool('mcp_a_x');
    registry.register(tool('mcp_a_x'), 'mcp');
    expect(registry.register(renewed, 'mcp')).toBe(true);
    expect(registry.list()).toEqual([renewed]);
  });

  it('treats an inactive tool as not there, as long as it is inactive', () => {
    let mode = 'default';
    const registry = new ToolRegistry([tool('enter_plan_mode'), tool('glob')], {
      isActive: ({ name }) => name !== 'enter_plan_mode' || mode !== 'plan',
      describe: ({ name }) => `${mode}: ${name}`,
    });
    expect(registry.getTool('enter_plan_mode')?.name).toBe('enter_plan_mode');
    mode = 'plan';
    expect(registry.getTool('enter_plan_mode')).toBeUndefined();
    expect(registry.declarations()).toEqual([
      { name: 'glob', description: 'plan: glob', parametersJsonSchema: { type: 'object', properties: {} } },
    ]);
    expect(registry.notFound('enter_plan_mode').message).toBe('Tool "enter_plan_mode" not found. Did you mean "glob"?');
  });

  it('suggests the nearest names for a tool that is not there', () => {
    const registry = new ToolRegistry(['read_file', 'write_file', 'glob', 'run_shell_command'].map(tool));
    const error = registry.notFound('readfile');
    expect({ message: error.message, type: error.type }).toEqual({
      message: 'Tool "readfile" not found. Did you mean one of: "read_file", "write_file", "glob"?',
      type: 'tool_not_registered',
    });
    expect(new ToolRegistry().notFound('x').message).toBe('Tool "x" not found.');
  });
});

describe('tools that come and go', () => {
  it('are told by name, once each, and a replaced tool is not news', () => {
    const registry = new ToolRegistry([tool('read_file')]);
    const changes: ToolsChange[] = [];
    registry.follow((change) => void changes.push(change));
    registry.register(tool('deploy'));
    registry.register(tool('deploy'));
    expect([registry.unregister('deploy'), registry.unregister('deploy'), registry.getTool('deploy')]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(changes).toEqual([
      { added: ['deploy'], removed: [] },
      { added: [], removed: ['deploy'] },
    ]);
  });
});

describe('isToolEnabled', () => {
  it.each([
    ['no filter allows all', {}, true],
    ['an empty core list allows nothing', { core: [] }, false],
    ['the name', { core: ['run_shell_command'] }, true],
    ['the class name', { core: ['ShellTool'] }, true],
    ['the name with arguments', { core: ['run_shell_command(git status)'] }, true],
    ['the class name with arguments', { core: ['ShellTool(git)'] }, true],
    ['another tool', { core: ['read_file', 'run_shell_commands'] }, false],
    ['a name that is only a prefix', { core: ['run_shell'] }, false],
    ['excluded by class name', { exclude: ['ShellTool'] }, false],
    ['excluded though in core', { core: ['ShellTool'], exclude: ['run_shell_command'] }, false],
    ['an exclusion with arguments is a rule, not a filter', { exclude: ['ShellTool(rm)'] }, true],
  ])('%s', (_title, filter, expected) => {
    expect(isToolEnabled('run_shell_command', filter)).toBe(expected);
  });

  it('understands the legacy name', () => {
    expect(isToolEnabled('grep_search', { core: ['search_file_content'] })).toBe(true);
    expect(isToolEnabled('grep_search', { exclude: ['search_file_content'] })).toBe(false);
  });

  it('applies core to built-in tools only', () => {
    expect(isToolEnabled('mcp_a_x', { core: [] }, 'mcp')).toBe(true);
    expect(isToolEnabled('mcp_a_x', { exclude: ['mcp_a_x'] }, 'mcp')).toBe(false);
  });
});
