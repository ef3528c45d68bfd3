/**
 * Parses the file of an agent. Errors name the line, the key and what was expected; keys and tools of other programs
 * are warnings, so that their files work. Pure, but for the YAML parser it loads.
 */

import type { SourceKind } from '../protocol/source.ts';
import { lineOfKey, parseFrontMatter, splitFrontMatter } from '../util/front-matter.ts';
import { isRecord } from '../util/is-record.ts';
import { sha256 } from '../util/sha256.ts';
import type { AgentDefinition, LocalAgent, RemoteAgent } from './agent-definition.ts';
import { DEFAULT_MAX_MINUTES, DEFAULT_MAX_TURNS, INHERIT } from './agent-definition.ts';
import { readAuth } from './agent-auth.ts';
import { toServers } from './agent-servers.ts';
import { Fields } from './front-matter-fields.ts';
import { readToolPatterns } from './tool-patterns.ts';

export interface AgentFile {
  readonly file: string;
  readonly text: string;
  /** SHA-256 of the bytes. */
  readonly hash: string;
  readonly source: SourceKind;
  readonly owner?: string | undefined;
}

export interface ParsedAgents {
  agents: AgentDefinition[];
  /** Each with its line; the file defines no agent. */
  errors: string[];
  warnings: string[];
}

const LOCAL_KEYS = [
  ...['kind', 'name', 'description', 'display_name', 'tools', 'mcp_servers', 'model', 'temperature', 'max_turns'],
  ...['timeout_mins', 'isolation'],
];
const REMOTE_KEYS = ['kind', 'name', 'description', 'display_name', 'agent_card_url', 'agent_card_json', 'auth'];
const REMOTE_ONLY = ['agent_card_url', 'agent_card_json', 'auth'];
const NAME = /^[a-z0-9_-]{1,64}$/;
/** Names of models in files for other programs. */
const FOREIGN_MODELS: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku', 'gpt', 'default']);
const MAX_BODY = 100_000;

export async function parseAgentFile(given: AgentFile): Promise<ParsedAgents> {
  const parsed: ParsedAgents = { agents: [], errors: [], warnings: [] };
  const split = splitFrontMatter(given.text);
  if (!('block' in split)) {
    parsed.errors.push(
      `${given.file}:${split.line}: ${split.reason}. An agent's file begins with a line "---", its name, its description and a line "---".`,
    );
    return parsed;
  }
  const { block, body } = split;
  const read = await parseFrontMatter(block);
  if (!('values' in read)) {
    parsed.errors.push(`${given.file}:${read.line}: ${read.reason}.`);
    return parsed;
  }
  const { values } = read;
  if (!isRecord(values) && !Array.isArray(values)) {
    parsed.errors.push(`${given.file}:2: the front matter must be a map of keys, such as name: my-agent.`);
    return parsed;
  }
  const entries: unknown[] = Array.isArray(values) ? values : [values];
  for (const entry of entries) {
    if (!isRecord(entry)) {
      parsed.errors.push(`${given.file}:2: each entry of the list must be a map with kind: remote.`);
      continue;
    }
    const fields = new Fields(entry, (key) => `${given.file}:${lineOfKey(block, key)}`);
    const agent = toAgent(fields, given, { body: body.trim(), isListed: Array.isArray(values) });
    parsed.warnings.push(...fields.warnings);
    parsed.errors.push(...fields.errors);
    if (fields.errors.length === 0) parsed.agents.push(agent);
  }
  return parsed;
}

function toAgent(fields: Fields, given: AgentFile, { body, isListed }: { body: string; isListed: boolean }) {
  const kind = fields.choice('kind', ['local', 'remote']);
  const isRemote = kind === 'remote' || (kind === undefined && REMOTE_ONLY.some((key) => fields.has(key)));
  if (isListed && !isRemote) fields.fail('kind', 'a list in the front matter defines remote agents only');
  fields.warnOfUnknown(isRemote ? REMOTE_KEYS : LOCAL_KEYS);
  const name = fields.text('name', { pattern: NAME, expected: 'lower-case letters, digits, "-" and "_"' }) ?? '';
  if (name === '' && !fields.has('name')) fields.fail('name', 'it is missing; expected a name such as code-reviewer');
  const displayName = fields.text('display_name');
  const { file, source, owner } = given;
  const facts = { name, source, file, ...(owner !== undefined && { owner }), ...(displayName && { displayName }) };
  return isRemote ? toRemote(fields, facts) : toLocal(fields, { ...facts, fingerprint: given.hash }, body);
}

type Facts = Pick<AgentDefinition, 'name' | 'source' | 'file' | 'displayName' | 'owner'>;

function toLocal(fields: Fields, facts: Facts & { fingerprint: string }, body: string): LocalAgent {
  const description = fields.text('description') ?? '';
  if (description.trim() === '')
    fields.fail(
      'description',
      'it is missing or empty; expected one sentence that tells the model when to use the agent',
    );
  if (body.length > MAX_BODY) fields.fail('---', `the prompt is longer than ${MAX_BODY} characters`);
  const tools = readToolPatterns(fields);
  const model = fields.text('model') ?? INHERIT;
  const isForeignModel = FOREIGN_MODELS.has(model);
  if (isForeignModel) fields.warn('model', `"${model}" is a name of another program, so the agent inherits the model`);
  const temperature = fields.number('temperature', { minimum: 0, maximum: 2 });
  const isolation = fields.choice('isolation', ['worktree', 'none']);
  return {
    kind: 'local',
    ...facts,
    description,
    prompt: body,
    ...(tools && { tools }),
    servers: toServers(fields),
    model: isForeignModel ? INHERIT : model,
    ...(temperature !== undefined && { generation: { temperature } }),
    maxTurns: fields.number('max_turns', { minimum: 1, isWhole: true }) ?? DEFAULT_MAX_TURNS,
    maxMinutes: fields.number('timeout_mins', { minimum: 1, isWhole: true }) ?? DEFAULT_MAX_MINUTES,
    ...(isolation === 'worktree' && { isIsolated: true }),
  };
}

function toRemote(fields: Fields, facts: Facts): RemoteAgent {
  const cardUrl = fields.text('agent_card_url', { pattern: /^https?:\/\/\S+$/, expected: 'an http or https address' });
  const cardJson = fields.text('agent_card_json');
  if ((cardUrl === undefined) === (cardJson === undefined) && fields.errors.length === 0)
    fields.fail('agent_card_url', 'expected exactly one of agent_card_url and agent_card_json');
  if (cardJson !== undefined && !isJson(cardJson)) fields.fail('agent_card_json', 'expected the card as JSON text');
  const auth = fields.record('auth');
  const read = auth && readAuth(auth);
  if (read && 'problem' in read) fields.fail('auth', read.problem);
  return {
    kind: 'remote',
    ...facts,
    description: fields.text('description') ?? '',
    fingerprint: fingerprintOf(cardUrl ?? sha256(cardJson ?? ''), auth),
    ...(cardUrl !== undefined && { cardUrl }),
    ...(cardJson !== undefined && { cardJson }),
    ...(auth && { auth }),
  };
}

/** Gemini CLI's is the address alone; a credential, which may be a command to run, is acknowledged with it. */
function fingerprintOf(card: string, auth: Readonly<Record<string, unknown>> | undefined): string {
  return auth ? sha256(JSON.stringify([card, auth])) : card;
}

function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    // Not JSON: the caller reports it.
    return false;
  }
}
