/** The tools `list_mcp_resources` and `read_mcp_resource`, which exist while a server has resources. */

import { ToolError } from '../protocol/errors.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';
import { wrapUntrusted } from '../tools/tool-output.ts';
import type { ServerContents } from './server-contents.ts';
import { isServersWord } from './connection.ts';
import type { McpServerState } from './server-state.ts';

export interface ResourceToolOptions {
  contents: ServerContents;
  states(): readonly McpServerState[];
  isTrusted(server: string): boolean;
}

const MAX_LISTED = 500;

export function createResourceTools({ contents, states, isTrusted }: ResourceToolOptions): DefinedTool[] {
  const list = defineTool({
    name: 'list_mcp_resources',
    displayName: 'ListMcpResources',
    kind: 'search',
    description: 'Lists the resources of MCP servers, and the templates of their addresses.',
    schema: {
      type: 'object',
      properties: { serverName: { type: 'string', description: 'Only the resources of this server.' } },
      additionalProperties: false,
    },
    isOutputMarkdown: false,
    describe: ({ serverName }) => (serverName === undefined ? 'All servers' : serverName),
    async execute({ serverName }) {
      const servers = states().filter(({ name }) => serverName === undefined || name === serverName);
      if (servers.length === 0) return { llmContent: `No MCP server is called ${serverName}.` };
      return { llmContent: describeResources(servers, contents.changed) };
    },
  });
  const read = defineTool({
    name: 'read_mcp_resource',
    displayName: 'ReadMcpResource',
    kind: 'read',
    description: 'Reads a resource of an MCP server, as list_mcp_resources names it.',
    schema: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'The address, with or without the server: server:uri.' } },
      required: ['uri'],
      additionalProperties: false,
    },
    isOutputMarkdown: false,
    describe: ({ uri }) => uri,
    async execute({ uri }, { signal }) {
      const found = contents.findListed(uri);
      // The variables of a template are the model's words, which no user has approved to send.
      const isAllowed = found && (!found.isTemplated || isTrusted(found.server));
      if (!isAllowed) {
        const how = found ? ' Only the user reads addresses of a template, with @, or trusts the server.' : '';
        throw new ToolError(`Resource not found for URI: ${uri}${how}`, 'mcp_resource_not_found');
      }
      const { parts, shown } = await contents.readResource(found, signal).catch((error: unknown) => {
        throw markWords(error);
      });
      return { llmContent: parts, returnDisplay: shown };
    },
  });
  return [list, read];
}

/** The model reads the words of a server between marks, also in an error. */
function markWords(error: unknown): unknown {
  if (!(error instanceof ToolError) || !isServersWord(error.cause)) return error;
  const { message: display, type, cause } = error;
  return new ToolError(`The resource could not be read:\n${wrapUntrusted(display)}`, type, { cause, display });
}

function describeResources(servers: readonly McpServerState[], changed: readonly string[]): string {
  const lines = servers.flatMap(({ name: server, resources }) =>
    resources.map(({ uri, name, description }) => {
      const mark = changed.includes(`${server}:${uri}`) ? ['changed since it was read'] : [];
      return ['-', [`${server}:${uri}`, name, description, ...mark].filter(Boolean).join(' | ')].join(' ');
    }),
  );
  const templates = servers.flatMap(({ name: server, templates: all }) =>
    all.map(({ uriTemplate, name, description }) =>
      ['-', [`${server}:${uriTemplate}`, name, description].filter(Boolean).join(' | ')].join(' '),
    ),
  );
  if (lines.length + templates.length === 0) return 'No MCP resources are available.';
  const cut = lines.length > MAX_LISTED ? [`… ${lines.length - MAX_LISTED} more`] : [];
  const shown = [...lines.slice(0, MAX_LISTED), ...cut];
  const all = templates.length > 0 ? [...shown, 'Templates:', ...templates.slice(0, MAX_LISTED)] : shown;
  return `Available MCP Resources:\n${wrapUntrusted(all.join('\n'))}`;
}
