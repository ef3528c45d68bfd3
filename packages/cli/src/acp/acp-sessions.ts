/**
 * AcpSessions: the sessions of one editor. Opens, finds, lists and closes them, each with the settings of its own
 * folder. Nothing is started for a session before the user is signed in.
 */

import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type {
  AuthenticateRequest,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
} from '@agentclientprotocol/sdk';
import { getErrorMessage, SessionError } from '@castor/core';
import { deleteSession, findSessionRoot, listAllSessions } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import type { Output } from '../output.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { runMaintenance } from '../start/maintenance.ts';
import { prepareStart } from '../start/start.ts';
import type { Start } from '../start/start.ts';
import type { SessionWish } from '../surface/session-wish.ts';
import type { AcpSession, SessionChoices } from './acp-session.ts';
import { Authentication, InvalidLoginError } from './authentication.ts';
import type { Login } from './authentication.ts';
import type { Client } from './client.ts';
import { describeSessionError } from './editor-hints.ts';
import { toServerEntries } from './given-servers.ts';
import { openAcpSession } from './open-acp-session.ts';
import { withAllowedMode } from './session-choices.ts';

export interface AcpSessionsOptions {
  readonly client: Client;
  readonly args: CliArguments;
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
}

interface Place {
  readonly cwd: string;
  readonly mcpServers?: McpServer[];
  readonly additionalDirectories?: string[];
}

const PAGE = 50;
/** How long the hooks at the end of a session may take when one is closed. */
const CLOSE_LIMIT_MS = 10_000;

export class AcpSessions {
  private readonly options: AcpSessionsOptions;
  private readonly authentication: Authentication;
  private readonly open = new Map<string, AcpSession>();
  /** The last opening or closing of each session: of one session, only one happens at a time. */
  private readonly changes = new Map<string, Promise<unknown>>();
  /** The mode and the model of the sessions that were closed, for their next opening (docs/decisions/0104). */
  private readonly choices = new Map<string, SessionChoices>();
  private hasCleanedUp = false;

  constructor(options: AcpSessionsOptions) {
    this.options = options;
    this.authentication = new Authentication(options.environment);
    // If the process is killed right after, the session still contains everything that was shown.
    options.output.beforeAnswer = () => this.flush();
  }

  async authenticate(request: AuthenticateRequest): Promise<void> {
    const check = async (login: Login) => void (await this.prepare({ cwd: this.options.cwd }, login));
    await this.authentication.authenticate(request, check).catch((error: unknown) => {
      throw error instanceof InvalidLoginError ? RequestError.invalidParams({}, error.message) : error;
    });
  }

  logout(): void {
    this.authentication.logout();
  }

  async create(request: NewSessionRequest): Promise<AcpSession> {
    return this.start(request, {});
  }

  /** Finds the session before anything is touched, whatever folder it belongs to. */
  async resume(request: Omit<LoadSessionRequest, 'mcpServers'> & Place): Promise<AcpSession> {
    const { home } = this.options;
    const { sessionId } = request;
    return this.inTurn(sessionId, async () => {
      await this.closeOpen(sessionId);
      const root = findSessionRoot(home, sessionId);
      const session = await this.start(request, { resume: sessionId, ...(root !== undefined && { root }) });
      const choices = this.choices.get(session.id);
      if (choices) await session.restore(choices);
      return session;
    });
  }

  /** Throws the error of the protocol for an unknown session. */
  find(sessionId: string): AcpSession {
    const session = this.open.get(sessionId);
    if (!session) throw RequestError.invalidParams({ sessionId }, `Session not found: ${sessionId}`);
    return session;
  }

  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const all = await listAllSessions(this.options.home, cwd ?? undefined);
    const from = cursor && /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0;
    const page = all.slice(from, from + PAGE);
    const next = from + page.length;
    return {
      sessions: page.map(({ id, root, title, lastUpdated }) => ({
        sessionId: id,
        cwd: root,
        title,
        updatedAt: new Date(lastUpdated).toISOString(),
      })),
      ...(next < all.length && { nextCursor: String(next) }),
    };
  }

  async close(sessionId: string): Promise<void> {
    await this.inTurn(sessionId, () => this.closeOpen(sessionId));
  }

  async delete(sessionId: string): Promise<void> {
    await this.inTurn(sessionId, async () => {
      await this.closeOpen(sessionId);
      const { home } = this.options;
      const root = findSessionRoot(home, sessionId);
      if (root === undefined) throw RequestError.resourceNotFound(sessionId);
      await deleteSession(sessionId, { home, root });
    });
  }

  /** Ends everything the sessions started. */
  async endAll(limitMs: number, hurry: AbortSignal): Promise<void> {
    const sessions = [...this.open.values()];
    await Promise.all(sessions.map((session) => this.end(session, limitMs, hurry)));
    this.flush();
  }

  /** Once, after the first answer: what later runs need. */
  cleanUp(session: AcpSession): void {
    if (this.hasCleanedUp) return;
    this.hasCleanedUp = true;
    void runMaintenance(session.start, session.recorder.path).then((problems) => {
      for (const problem of problems) this.options.output.note(`castor: warning: ${problem}`);
    });
  }

  private async start(place: Place, wish: SessionWish): Promise<AcpSession> {
    const { client, output } = this.options;
    const start = await this.prepare(place, this.authentication.login);
    const ownServers = toServerEntries(place.mcpServers ?? [], place.cwd);
    try {
      const session = await openAcpSession({ client, start, wish, ownServers, output });
      this.open.set(session.id, session);
      return session;
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof SessionError) || cause.reason !== 'not_found') throw error;
      const details = describeSessionError(cause);
      throw new RequestError(-32_002, `Session not found: ${wish.resume}`, { details });
    }
  }

  private async closeOpen(sessionId: string): Promise<void> {
    const session = this.open.get(sessionId);
    if (!session) return;
    this.open.delete(sessionId);
    this.choices.set(sessionId, session.choices);
    await this.end(session, CLOSE_LIMIT_MS, new AbortController().signal);
  }

  private async inTurn<T>(sessionId: string, change: () => Promise<T>): Promise<T> {
    const changed = (this.changes.get(sessionId) ?? Promise.resolve()).then(change);
    const settled = changed.catch(() => undefined);
    this.changes.set(sessionId, settled);
    try {
      return await changed;
    } finally {
      if (this.changes.get(sessionId) === settled) this.changes.delete(sessionId);
    }
  }

  /** Throws an ExitError for settings that cannot be used, and for missing credentials. */
  private async prepare({ cwd, additionalDirectories = [] }: Place, login: Login): Promise<Start> {
    if (!isAbsolute(cwd) || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw RequestError.invalidParams({ cwd }, `cwd must be the absolute path of a folder: ${cwd}`);
    const { args, home } = this.options;
    const includeDirectories = [...(args.includeDirectories ?? []), ...additionalDirectories];
    const given = { ...args, ...(includeDirectories.length > 0 && { includeDirectories }) };
    const installed = await findInstalledExtensions({ cwd, home, args: given });
    return withAllowedMode(prepareStart({ args: given, cwd, home, ...login, installed, isAttended: true }));
  }

  private async end(session: AcpSession, limitMs: number, hurry: AbortSignal): Promise<void> {
    await session.end({ limitMs, hurry }).catch((error: unknown) => {
      this.options.output.note(`castor: warning: some processes could not be ended: ${getErrorMessage(error)}`);
    });
  }

  private flush(): void {
    for (const session of this.open.values()) session.recorder.flush();
  }
}
