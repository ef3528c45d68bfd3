/**
 * Decides whether a rule matches a call, without reading a command line.
 * command-matching.ts matches commands.
 */

import type { PolicyCall, PolicyContext, PolicyRule } from './rule.ts';

export const SHELL_TOOL = 'run_shell_command';
/** A rule on the name of a sub-agent covers the calls that start it. */
export const AGENT_TOOL = 'invoke_agent';

/** Keys sorted; each top-level pair between NUL characters, which no value can contain. */
export function stableJson(args: Readonly<Record<string, unknown>>): string {
  const pairs = Object.keys(args)
    .sort()
    .filter((key) => isJson(args[key]))
    .map((key) => `\0${JSON.stringify(key)}:${sortedJson(args[key], new Set())}\0`);
  return `{${pairs.join(',')}}`;
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function sortedJson(value: unknown, above: Set<unknown>): string {
  if (typeof value === 'bigint') return JSON.stringify(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (above.has(value)) return '"[Circular]"';
  above.add(value);
  const text = Array.isArray(value)
    ? `[${value.map((item) => (isJson(item) ? sortedJson(item, above) : 'null')).join(',')}]`
    : `{${Object.entries(value)
        .filter(([, item]) => isJson(item))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item, above)}`)
        .join(',')}}`;
  above.delete(value);
  return text;
}

/** Matches everything except arguments: tool, server, agent, mode, surface, annotations. */
export function matchesCall(rule: PolicyRule, call: PolicyCall, context: PolicyContext): boolean {
  if (context.isIgnored?.(rule) === true) return false;
  if (rule.modes !== undefined && !rule.modes.includes(context.mode)) return false;
  if (rule.interactive !== undefined && rule.interactive !== context.interactive) return false;
  if (rule.subagent !== undefined && rule.subagent !== call.subagent) return false;
  if (!matchesTool(rule, call) || !matchesKind(rule, call)) return false;
  if (widensForeign(rule, call)) return false;
  if (rule.toolAnnotations === undefined) return true;
  // A server's word about its own tool allows nothing, unless the user trusts the server or the rule names it.
  const isNamed = rule.mcpName !== undefined && rule.mcpName !== '*';
  if (rule.decision === 'allow' && call.isTrustedServer !== true && !isNamed) return false;
  return Object.entries(rule.toolAnnotations).every(([key, value]) => call.annotations?.[key] === value);
}

/** A project may restrict the servers of the user; it lifts no question about them. */
function widensForeign({ decision, kind, isOfProject }: PolicyRule, call: PolicyCall): boolean {
  if (decision !== 'allow' || (kind !== 'project' && isOfProject !== true)) return false;
  return isMcp(call) && call.isProjectServer !== true;
}

function matchesTool(rule: PolicyRule, call: PolicyCall): boolean {
  const { toolName, mcpName } = rule;
  if (mcpName !== undefined) {
    if (!isOfServer(call, mcpName, rule.decision === 'deny')) return false;
    return (
      toolName === '*' ||
      toolName === call.toolName ||
      toolName === call.mcpTool ||
      call.toolName === `mcp_${toMcpName(mcpName)}_${toMcpName(toolName)}`
    );
  }
  if (toolName === '*' || toolName === call.toolName) return true;
  if (call.toolName === AGENT_TOOL && toolName === call.args['agent_name']) return true;
  if (!toolName.endsWith('*')) return false;
  if (toolName === 'mcp_*') return isMcp(call);
  const server = /^mcp_(.+)_\*$/.exec(toolName)?.[1];
  if (server !== undefined) return isOfServer(call, server, rule.decision === 'deny') || isNamedAlike(call, toolName);
  return call.toolName.startsWith(toolName.slice(0, -1));
}

/** A server's statement on the kind of its tool is only a hint. */
function matchesKind({ toolName, toolKinds }: PolicyRule, call: PolicyCall): boolean {
  if (toolKinds === undefined) return true;
  return call.kind === undefined || isMcp(call) ? toolName !== '*' : toolKinds.includes(call.kind);
}

export function isMcp(call: PolicyCall): boolean {
  return call.mcpServer !== undefined || call.toolName.startsWith('mcp_');
}

/** A server cannot impersonate another by its tool's name: the name alone can only deny. */
function isOfServer(call: PolicyCall, server: string, forbids: boolean): boolean {
  if (server === '*') return isMcp(call);
  if (call.mcpServer !== undefined && toMcpName(call.mcpServer) === toMcpName(server)) return true;
  return (forbids || call.mcpServer === undefined) && call.toolName.startsWith(`mcp_${toMcpName(server)}_`);
}

/** A server whose name begins with `mcp_` gets no second one: its tools are called as the pattern is written. */
function isNamedAlike({ mcpServer, isProjectServer }: PolicyCall, pattern: string): boolean {
  // A project must not take the user's leave for another server by the name of its own.
  return mcpServer !== undefined && isProjectServer !== true && `${toMcpName(mcpServer)}_*` === pattern;
}

export function toMcpName(text: string): string {
  return text.replace(/[^\w.-]/g, '_');
}

/** Whether the rule names a file by its absolute path, in whatever form a call writes it. */
export function namesAbsolutePath({ argsPattern }: Pick<PolicyRule, 'argsPattern'>): boolean {
  return argsPattern !== undefined && /"file_path":"(?:\\?\/[\w\\]|[A-Za-z]:)/.test(argsPattern.source);
}
