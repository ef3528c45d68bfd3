/**
 * Reads the card of a remote agent, of A2A 0.3 and 1.x: what it is, where it listens, and how to sign in. Cards mix the
 * keys of both versions, so either form is understood. Pure.
 */

import { cleanDescription, cleanLine } from '../mcp/clean-text.ts';
import { isLoopback } from '../mcp/sign-in/safe-address.ts';
import { isRecord } from '../util/is-record.ts';
import { RemoteAgentError } from './remote-agent-error.ts';

export type ProtocolVersion = '0.3' | '1';

/** One place where the agent listens, in a form this client speaks. */
export interface RemoteInterface {
  readonly url: URL;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: ProtocolVersion;
  readonly tenant?: string | undefined;
}

/** The addresses of an OAuth flow in a browser. */
export interface CardSignIn {
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export interface AgentCard {
  readonly name: string;
  readonly description: string;
  /** Each is a line for the model. */
  readonly skills: readonly string[];
  readonly streams: boolean;
  readonly interface: RemoteInterface;
  readonly signIn: CardSignIn;
}

const MAX_DESCRIPTION = 1_000;
const MAX_SKILLS = 50;
const BINDINGS: readonly string[] = ['JSONRPC', 'HTTP+JSON'];

/** `source`: where the card was fetched. Throws RemoteAgentError. */
export function readCard(value: unknown, source?: URL): AgentCard {
  if (!isRecord(value)) throw new RemoteAgentError('Its card is not a JSON object.');
  const capabilities = isRecord(value['capabilities']) ? value['capabilities'] : {};
  const schemes = isRecord(value['securitySchemes']) ? Object.values(value['securitySchemes']).filter(isRecord) : [];
  return {
    name: cleanLine(textOf(value['name']) ?? 'agent', 200),
    description: cleanDescription(textOf(value['description']) ?? '', MAX_DESCRIPTION),
    skills: toSkills(value['skills']),
    streams: capabilities['streaming'] === true,
    interface: chooseInterface(findInterfaces(value), source),
    signIn: findSignIn(schemes),
  };
}

function toSkills(value: unknown): string[] {
  const skills = Array.isArray(value) ? value.filter(isRecord).slice(0, MAX_SKILLS) : [];
  return skills.map(({ id, name, description }) => {
    const title = textOf(name) ?? textOf(id) ?? 'skill';
    return cleanLine(`${title}: ${textOf(description) ?? ''}`, 200);
  });
}

interface WrittenInterface {
  url: string | undefined;
  binding: string;
  version: string;
  tenant?: string | undefined;
}

/** In the order of the agent's preference. */
function findInterfaces(card: Readonly<Record<string, unknown>>): WrittenInterface[] {
  const ofCard = textOf(card['protocolVersion']);
  const listed = (key: string, fallback: string): WrittenInterface[] => {
    const list = Array.isArray(card[key]) ? card[key].filter(isRecord) : [];
    return list.map((each) => ({
      url: textOf(each['url']),
      binding: textOf(each['protocolBinding']) ?? textOf(each['transport']) ?? 'JSONRPC',
      version: textOf(each['protocolVersion']) ?? ofCard ?? fallback,
      tenant: textOf(each['tenant']),
    }));
  };
  const main = textOf(card['url']);
  const preferred = textOf(card['preferredTransport']) ?? 'JSONRPC';
  return [
    ...listed('supportedInterfaces', '1.0'),
    ...(main === undefined ? [] : [{ url: main, binding: preferred, version: ofCard ?? '0.3' }]),
    ...listed('additionalInterfaces', '0.3'),
  ];
}

/** The first in a form that this client speaks. */
function chooseInterface(written: readonly WrittenInterface[], source: URL | undefined): RemoteInterface {
  for (const { url: text, binding, version: number, tenant } of written) {
    const url = text === undefined ? null : URL.parse(text, source?.href);
    const version = toVersion(number);
    if (url === null || version === undefined || !BINDINGS.includes(binding)) continue;
    if (url.protocol !== 'https:' && url.protocol !== 'http:') continue;
    // A card from elsewhere cannot direct requests to this machine.
    if (source && isLoopback(url) && !isLoopback(source))
      throw new RemoteAgentError(
        `Its card names an address on this machine (${url.href}), but it is from ${source.host}.`,
      );
    return { url, binding: binding as RemoteInterface['binding'], version, ...(tenant !== undefined && { tenant }) };
  }
  const offered = written.map(({ binding, version }) => cleanLine(`${binding} ${version}`, 60)).join(', ');
  throw new RemoteAgentError(
    `Its card offers no interface that Castor speaks: expected JSONRPC or HTTP+JSON of A2A 0.3 or 1.x, found ${offered || 'none'}.`,
  );
}

function toVersion(text: string): ProtocolVersion | undefined {
  if (/^0\.[23](?:\.|$)/.test(text)) return '0.3';
  return /^1(?:\.|$)/.test(text) ? '1' : undefined;
}

function findSignIn(schemes: readonly Readonly<Record<string, unknown>>[]): CardSignIn {
  for (const scheme of schemes) {
    const inner = isRecord(scheme['oauth2SecurityScheme']) ? scheme['oauth2SecurityScheme'] : scheme;
    const flows = isRecord(inner['flows']) ? inner['flows'] : {};
    const flow = flows['authorizationCode'];
    if (!isRecord(flow)) continue;
    return {
      authorizationUrl: textOf(flow['authorizationUrl']),
      tokenUrl: textOf(flow['tokenUrl']),
      scopes: isRecord(flow['scopes']) ? Object.keys(flow['scopes']) : undefined,
    };
  }
  return {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What the main model reads about the agent. */
export function describeCard(card: AgentCard, own: string): string {
  const lines = [
    ...(own === '' ? [] : [`User Description: ${own}`]),
    ...(card.description === '' ? [] : [`Agent Description: ${card.description}`]),
    ...(card.skills.length > 0 ? ['Skills:', ...card.skills.map((line) => `- ${line}`)] : []),
  ];
  return lines.length > 0 ? lines.join('\n') : card.name;
}
