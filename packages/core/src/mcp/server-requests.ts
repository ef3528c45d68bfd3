/**
 * ServerRequests: answers what an MCP server asks of its client: the folders of the workspace, data from the user, an
 * answer of the model. Without a user it declines; the model answers only where the user's settings let the server ask.
 */

import { pathToFileURL } from 'node:url';
import { basename } from 'node:path';
import type {
  AskForServer,
  FormValue,
  SamplingAnswer,
  SamplingRequest,
  ServerQuestion,
} from '../protocol/server-questions.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanLine } from './clean-text.ts';
import { problemOf, readElicitation } from './elicitation.ts';
import { RpcError } from './rpc-session.ts';
import { firstWords, readSampling, toSamplingResult } from './sampling.ts';
import type { McpServer } from './server-config.ts';

export interface ServerPorts {
  /** The folders of the workspace. */
  roots(): readonly string[];
  /** Absent where no user can be asked. */
  ask?: AskForServer | undefined;
  /** Sends the request to the session's model, within its budget. */
  sample?: ((request: SamplingRequest, signal: AbortSignal) => Promise<SamplingAnswer>) | undefined;
  /** A sentence for the user. */
  tell(level: 'info' | 'warning', message: string): void;
}

/** The code of the protocol for a call that needs the user to open a page first. */
const PAGE_REQUIRED = -32_042;
/** Pages that one failed call may show. */
const MOST_PAGES = 3;
/** The code of the protocol for a user who says no. */
const USER_REJECTED = -1;
/** Of one server in a session: more is not what a user meant to allow. */
const MAX_SAMPLES = 100;

export class ServerRequests {
  private readonly server: McpServer;
  private readonly ports: ServerPorts;
  private samples = 0;
  private isSamplingAllowed: boolean;
  /** One question at a time: a server cannot cover the screen. */
  private asking: Promise<unknown> = Promise.resolve();
  private hasToldOfNoUser = false;

  constructor(server: McpServer, ports: ServerPorts) {
    this.server = server;
    this.ports = ports;
    this.isSamplingAllowed = server.sampling === 'allow';
  }

  /** As `initialize` announces them. */
  get capabilities(): Record<string, unknown> {
    return {
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
      ...(this.server.sampling !== 'off' && this.ports.sample && { sampling: {} }),
    };
  }

  /** Undefined for an unsupported method. */
  answer(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> | undefined {
    switch (method) {
      case 'roots/list':
        return Promise.resolve({ roots: this.ports.roots().map(toRoot) });
      case 'elicitation/create':
        return this.elicit(params, signal);
      case 'sampling/createMessage':
        return this.server.sampling === 'off' || !this.ports.sample ? undefined : this.sample(params, signal);
      default:
        return undefined;
    }
  }

  /** Shows the pages that a failed call needs, and adds for the model what the user did. Any other error stays. */
  async explain(error: unknown, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof RpcError) || error.code !== PAGE_REQUIRED || !isRecord(error.data)) return error;
    const { elicitations } = error.data;
    const pages: unknown[] = Array.isArray(elicitations) ? elicitations.slice(0, MOST_PAGES) : [];
    const told: string[] = [];
    for (const page of pages) {
      const question = readElicitation(this.server.name, { ...(isRecord(page) ? page : {}), mode: 'url' });
      if (question.type !== 'url') continue;
      const { action } = await this.ask(question, signal);
      told.push(
        action === 'accept'
          ? `The user was shown ${question.url} and continued. Call the tool again.`
          : `The user did not agree to open ${question.url}.`,
      );
    }
    return new Error([`${error.message}.`, ...told].join(' '), { cause: error });
  }

  private async elicit(params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    const question = readElicitation(this.server.name, params);
    const answer = await this.ask(question, signal);
    if (answer.action !== 'accept' || question.type !== 'form') return { action: answer.action };
    return { action: 'accept', content: checkContent(question, answer.content ?? {}) };
  }

  private async ask(question: ServerQuestion, signal: AbortSignal): ReturnType<AskForServer> {
    const { ask } = this.ports;
    if (!ask) {
      this.tellOfNoUser(question);
      return { action: 'decline' };
    }
    const before = this.asking;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.asking = promise;
    try {
      await before;
      return signal.aborted ? { action: 'cancel' } : await ask(question, signal);
    } finally {
      resolve();
    }
  }

  private tellOfNoUser(question: ServerQuestion): void {
    if (this.hasToldOfNoUser) return;
    this.hasToldOfNoUser = true;
    const wish = {
      form: 'asked for data',
      url: 'asked to open a page',
      sampling: 'asked the model a question',
    }[question.type];
    const what = question.type === 'sampling' ? firstWords(question.request) : question.message;
    const said = what === '' ? '' : ` (${cleanLine(what, 200)})`;
    this.ports.tell(
      'warning',
      `The MCP server ${this.server.name} ${wish}${said}. Castor declined, because no user can be asked in this run.`,
    );
  }

  private async sample(params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    const request = readSampling(params);
    const { name } = this.server;
    if (++this.samples > MAX_SAMPLES) {
      throw new RpcError(USER_REJECTED, `A server may ask the model ${MAX_SAMPLES} times in a session.`);
    }
    if (!this.isSamplingAllowed) {
      const answer = await this.ask({ type: 'sampling', server: name, request }, signal);
      if (answer.action !== 'accept') throw new RpcError(USER_REJECTED, 'The user rejected the request.');
      this.isSamplingAllowed = answer.isLasting === true;
    }
    this.ports.tell('info', `The MCP server ${name} asks the model: ${cleanLine(firstWords(request), 200)}`);
    try {
      return toSamplingResult(await this.ports.sample!(request, signal));
    } catch (error) {
      if (!signal.aborted) {
        this.ports.tell(
          'warning',
          `The question of the MCP server ${name} to the model failed: ${getErrorMessage(error)}`,
        );
      }
      // The reason is the user's: a spent budget, an account. The server learns only that there is no answer.
      throw new RpcError(-32_603, 'The model did not answer.');
    }
  }
}

function toRoot(directory: string): { uri: string; name: string } {
  return { uri: pathToFileURL(directory).href, name: basename(directory) || directory };
}

/** A surface must not answer what the server did not ask. */
function checkContent(
  { fields }: Extract<ServerQuestion, { type: 'form' }>,
  content: Readonly<Record<string, FormValue>>,
): Record<string, unknown> {
  const entries = fields.flatMap((field) => {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (value === undefined) {
      if (field.isRequired) throw new RpcError(-32_603, 'The answer lacks a required field.');
      return [];
    }
    if (problemOf(field, value) !== undefined) throw new RpcError(-32_603, 'The answer does not fit the form.');
    return [[field.name, value] as const];
  });
  return Object.fromEntries(entries);
}
