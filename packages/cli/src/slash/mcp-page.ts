/** Writes the pages of `/mcp`: state, last error, stderr, time to connect, counts, tools and what their search saves. Pure. */

import type { DefinedTool, WorkspaceAgent } from '@castor/core';
import { makeVisibleLine } from '../make-visible.ts';
import { readableCount, readableDuration } from '../readable-numbers.ts';
import { bareName, describeUsage } from './server-prompts.ts';
import { STATUS_MARKS } from '../status-marks.ts';

type Servers = NonNullable<WorkspaceAgent['servers']>;
type ServerState = Servers['states'][number];
type SignInState = Awaited<ReturnType<Servers['listSignIns']>>[number];

export type PageDetail = 'names' | 'descriptions' | 'schemas';

export interface PageOptions {
  tools: readonly DefinedTool[];
  signIns: readonly SignInState[];
  /** A part of the names of the servers to show; empty: all. */
  filter: string;
  detail: PageDetail;
}

const { works, failed, blocked, off, underWay } = STATUS_MARKS;
const STATUS: Readonly<Record<ServerState['status'], readonly [mark: string, words: string]>> = {
  ready: [works, 'Ready'],
  connecting: [underWay, 'Starting... (first startup may take longer)'],
  lost: [underWay, 'Reconnecting'],
  failed: [failed, 'Disconnected'],
  closed: [failed, 'Disconnected'],
  invalid: [failed, 'Not started'],
  untrusted: [blocked, 'Not started'],
  disabled: [off, 'Disabled'],
  blocked: [blocked, 'Blocked'],
};
const SIGN_INS: Readonly<Partial<Record<SignInState['status'], string>>> = {
  'signed-in': ' (OAuth)',
  expired: ' (OAuth expired)',
};
const MOST_ITEMS = 10;
const MOST_TOOLS = 30;
const STDERR_LINES = 5;
const LOG_LINES = 5;
const BYTES_PER_TOKEN = 4;

/** The page for `list`, `desc` and `schema`. */
export function describeServers(servers: Servers, options: PageOptions): string {
  const wanted = options.filter.toLowerCase();
  const shown = servers.states.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (shown.length === 0) return `No MCP server's name contains ${JSON.stringify(options.filter)}.`;
  // Blocked servers come last.
  const sorted = [...shown].sort((a, b) => Number(a.status === 'blocked') - Number(b.status === 'blocked'));
  const starting = shown.filter(({ status }) => status === 'connecting').length;
  const notes = starting > 0 ? [`${underWay} MCP servers are starting up (${starting} initializing)...`, ''] : [];
  const rows = sorted.flatMap((state) => [...describeServer(state, servers, options), '']);
  return [...notes, 'Configured MCP servers:', '', ...rows, ...describeSearch(servers)].join('\n').trimEnd();
}

type Overview = Pick<Servers, 'states' | 'search'>;

/** The page for `/mcp` alone: a row a server with what it offers, or with why it does not and what leads on. */
export function describeStates(servers: Overview, { tools }: Pick<PageOptions, 'tools'>): string {
  const { states } = servers;
  const nameOf = ({ name }: ServerState) => makeVisibleLine(name);
  const widest = Math.max(...states.map((state) => nameOf(state).length));
  const rows = states.map((state) => {
    const own = tools.filter(({ server }) => server?.name === state.name).length;
    const [mark, words] = overviewOf(state, own);
    return `  ${mark} ${nameOf(state).padEnd(widest)}  ${makeVisibleLine(words)}`;
  });
  const saved = describeSearch(servers).map((line) => `  ${line}`);
  return ['MCP', ...rows, ...saved, '  /mcp list names their tools · /mcp <name> tells all about one'].join('\n');
}

function overviewOf(state: ServerState, tools: number): readonly [mark: string, words: string] {
  const { name, status, connectMs, lastError, needsSignIn } = state;
  if (needsSignIn) return [blocked, `sign in: /mcp auth ${name}`];
  const why = lastError?.split('\n', 1)[0];
  switch (status) {
    case 'ready': {
      const offered = countsOf(state, tools).slice(2, -1) || 'nothing offered';
      return [works, connectMs === undefined ? offered : `${offered} · ${readableDuration(connectMs)}`];
    }
    case 'connecting':
      return [underWay, 'connecting'];
    case 'lost':
      return [underWay, why === undefined ? 'connecting again' : `connecting again: ${why}`];
    case 'untrusted':
      return [blocked, why ?? 'not started without your consent: /mcp trust'];
    case 'disabled':
      return [off, `off here: /mcp enable ${name}`];
    case 'blocked':
      // Its row has named it.
      return [blocked, why?.replace(`The MCP server ${name} is blocked: `, 'blocked: ') ?? 'blocked by a setting'];
    case 'failed':
    case 'closed':
    case 'invalid':
      return [failed, why ?? 'not connected: /mcp reload'];
  }
}

export function describeSignIns(signIns: readonly SignInState[]): string {
  const known = signIns.filter(({ status }) => status !== 'none');
  if (known.length === 0) return 'No MCP servers configured with OAuth authentication.';
  const rows = known.map(({ name, status, problem }) => `  - ${name}: ${problem ?? status.replace('-', ' ')}`);
  return ['MCP servers with OAuth authentication:', ...rows, '', 'Sign in with /mcp auth <server-name>.'].join('\n');
}

function describeServer(state: ServerState, servers: Servers, options: PageOptions): string[] {
  const {
    name,
    status,
    connectMs,
    attempts,
    lastError,
    stderr = '',
    leftOut,
    log,
    prompts,
    resources,
    templates,
  } = state;
  const config = servers.configOf(name);
  const owner = config?.owner === undefined ? '' : ` (from ${config.owner})`;
  const [mark, words] = STATUS[status];
  const isUp = status === 'ready' || status === 'lost';
  const tools = options.tools.filter(({ server }) => server?.name === name);
  const counts = isUp ? countsOf(state, tools.length) : '';
  const lines = [`${mark} ${name}${owner} - ${words}${counts}${signInOf(state, options.signIns)}`];
  const isDetailed = options.detail !== 'names';
  if (isDetailed && config?.description) lines.push(`  ${config.description}`);
  if (connectMs !== undefined && isUp) {
    lines.push(`  Connected in ${readableDuration(connectMs)}${attempts > 1 ? `, connection ${attempts}` : ''}`);
  }
  if (lastError !== undefined && status !== 'disabled') {
    lines.push(`  ${status === 'ready' ? 'Last error' : 'Error'}: ${lastError}`);
  }
  const hasFailed = status === 'failed' || status === 'lost';
  if (status !== 'ready') lines.push(...tail('stderr', stderr.split('\n'), STDERR_LINES));
  if (hasFailed || isDetailed) lines.push(...describeWithheld(servers.withheldFrom(name)));
  lines.push(...describeTools(tools, options.detail));
  lines.push(...describeMissing(state, tools, isUp));
  lines.push(
    ...listOf(
      'Prompts',
      prompts.map((prompt) => describePrompt(prompt, isDetailed)),
    ),
  );
  const changed = new Set(servers.contents.changed);
  const changeOf = (uri: string) => (changed.has(`${name}:${uri}`) ? ' (changed since it was read)' : '');
  lines.push(
    ...listOf(
      'Resources',
      resources.map((each) => `${each.name} (@${name}:${each.uri})${changeOf(each.uri)}`),
    ),
  );
  lines.push(
    ...listOf(
      'Templates',
      templates.map((each) => `${each.name} (@${name}:${each.uriTemplate})`),
    ),
  );
  lines.push(...leftOut.slice(0, MOST_ITEMS).map((sentence) => `  ${sentence}`));
  if (isDetailed) lines.push(...tail('Log', log, LOG_LINES));
  return lines;
}

/** A server that lacks a variable fails in its own words; this says why it lacks it. */
function describeWithheld(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_ITEMS ? [`and ${names.length - MOST_ITEMS} more`] : [];
  const shown = [...names.slice(0, MOST_ITEMS), ...more].join(', ');
  return [`  Not passed on, as they look like secrets: ${shown}. Pass one with "env": { "NAME": "$NAME" }.`];
}

function countsOf({ prompts, resources }: ServerState, tools: number): string {
  const of = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  const counts = [...of(tools, 'tool'), ...of(prompts.length, 'prompt'), ...of(resources.length, 'resource')];
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}

function signInOf({ name, needsSignIn }: ServerState, signIns: readonly SignInState[]): string {
  const { status } = signIns.find((each) => each.name === name) ?? {};
  if (needsSignIn && status !== 'expired') return ' (OAuth not authenticated)';
  return (status && SIGN_INS[status]) ?? '';
}

/** Tools the policy does not offer in this run are not among those of the model. */
function describeMissing({ tools: registered }: ServerState, tools: readonly DefinedTool[], isUp: boolean): string[] {
  const missing = registered.length - tools.length;
  if (!isUp || missing <= 0) return [];
  return [`  ${missing} ${missing === 1 ? 'tool is' : 'tools are'} not allowed in this run.`];
}

function describeTools(tools: readonly DefinedTool[], detail: PageDetail): string[] {
  if (tools.length === 0) return [];
  if (detail === 'names') {
    const hidden = tools.length - MOST_TOOLS;
    const more = hidden > 0 ? [`  ... ${hidden} tools hidden; /mcp desc shows all`] : [];
    return ['  Tools:', ...tools.slice(0, MOST_TOOLS).map(({ name }) => `  - ${name}`), ...more];
  }
  const rows = tools.flatMap(({ name, description, schema }) => [
    `  - ${name}${description === '' ? '' : ':'}`,
    ...indent(description, '      '),
    ...(detail === 'schemas'
      ? ['      Parameters:', ...indent(JSON.stringify(schema.parametersJsonSchema, null, 2), '      ')]
      : []),
  ]);
  return ['  Tools:', ...rows];
}

function describePrompt(
  { name, description, arguments: args }: ServerState['prompts'][number],
  isLong: boolean,
): string {
  const usage = args.length === 0 ? '' : ` ${describeUsage(args)}`;
  return makeVisibleLine(`/${bareName(name)}${usage}${isLong && description !== '' ? `: ${description}` : ''}`);
}

function listOf(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const hidden = items.length - MOST_ITEMS;
  const more = hidden > 0 ? [`  ... ${hidden} ${title.toLowerCase()} hidden`] : [];
  return [`  ${title}:`, ...items.slice(0, MOST_ITEMS).map((item) => `  - ${item}`), ...more];
}

function tail(title: string, lines: readonly string[], most: number): string[] {
  const last = lines.filter((line) => line.trim() !== '').slice(-most);
  return last.length === 0 ? [] : [`  ${title}:`, ...last.map((line) => `    ${line}`)];
}

function indent(text: string, margin: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => margin + line);
}

/** What announcing tools by name saves in every request. */
function describeSearch({ search }: Pick<Servers, 'search'>): string[] {
  if (!search) return [];
  const { tools, loaded, allBytes, sentBytes } = search;
  const size = (bytes: number) => `${readableCount(bytes)} bytes (≈ ${readableCount(bytes / BYTES_PER_TOKEN)} tokens)`;
  return [
    `Tool search: ${tools} tools are announced by name, ${loaded} are loaded. All declarations take ${size(allBytes)}, each request carries ${size(sentBytes)}.`,
  ];
}
