/**
 * BoundsDesk: what the user opened for the commands of a session: settings, kept grants, and answers of this session. It
 * asks about what is new, once at a time, and the same question only once.
 */

import { isWithin } from './hidden-paths.ts';
import { readGrants, saveGrant } from './grants.ts';
import type { GrantKind } from './grants.ts';
import { allowsHost, parseHostEntry, REGISTRY_HOSTS } from './network/host-list.ts';
import type { ProxyDecision } from './network/session-proxy.ts';

export type BoundsAnswer = 'once' | 'session' | 'always' | 'no';

export interface BoundsWish {
  kind: GrantKind;
  what: string;
  /** The command that wants it, where known. */
  command?: string | undefined;
}

/** What is asked each time and never kept: leaving the sandbox, and deleting what cannot be undone. */
export interface ConfirmedWish {
  kind: 'leave' | 'delete';
  what: string;
  command: string;
}

type Ask = (wish: BoundsWish | ConfirmedWish, signal: AbortSignal) => Promise<BoundsAnswer>;

export interface BoundsDeskOptions {
  home: string;
  root: string;
  /** From the settings. */
  writable: readonly string[];
  /** Asked at each connection: it may depend on the approval mode. */
  reachesRegistries(): boolean;
  /** No host is reached and no command leaves, and the user is not asked. */
  isAirgapped?: boolean | undefined;
  /** Absent: no user can be asked, and what is new is denied. */
  ask?: Ask | undefined;
  /** Called with each answer of the user, before it takes effect. */
  onAnswer?: ((wish: BoundsWish | ConfirmedWish, answer: BoundsAnswer) => void) | undefined;
  /** How long a question waits; default five minutes. */
  answerLimitMs?: number | undefined;
}

/** An unanswered question ends with a denial: the program would wait forever. */
const ANSWER_LIMIT_MS = 5 * 60_000;

/** A question that is asked, or waits for its turn. */
interface Asked {
  answer: Promise<BoundsAnswer>;
  wait(gone?: AbortSignal): void;
}

/** The programs that wait for one answer. */
class Waiters {
  private readonly controller = new AbortController();
  private count = 0;

  /** Aborted when the last of them is gone. */
  get gone(): AbortSignal {
    return this.controller.signal;
  }

  /** Without a signal it waits until the answer. */
  add(gone: AbortSignal | undefined): void {
    this.count++;
    const leave = () => {
      if (--this.count === 0) this.controller.abort();
    };
    if (gone?.aborted) leave();
    else gone?.addEventListener('abort', leave, { once: true });
  }
}

export class BoundsDesk {
  private readonly options: BoundsDeskOptions;
  private readonly opened: Record<GrantKind, Set<string>> = { write: new Set(), read: new Set(), host: new Set() };
  private readonly refused = new Set<string>();
  /** Hosts that were allowed once: until the command has ended, which may connect many times. */
  private readonly passing = new Set<string>();
  private readonly asking = new Map<string, Asked>();
  private last: Promise<unknown> = Promise.resolve();
  /** Running commands that reach package registries by their names. */
  private registryUses = 0;

  constructor(options: BoundsDeskOptions) {
    this.options = options;
    for (const path of options.writable) this.opened.write.add(path);
    for (const { kind, what, root } of readGrants(options.home))
      if (isWithin(options.root, root) && !this.isClosed(kind)) this.opened[kind].add(what);
  }

  granted(): { writable: string[]; readable: string[] } {
    return { writable: [...this.opened.write], readable: [...this.opened.read] };
  }

  /** Everything that is open, each with its kind. */
  list(): string[] {
    const { write, read } = this.opened;
    const all = { write: [...write], read: [...read], host: this.hosts };
    return Object.entries(all).flatMap(([kind, places]) => places.map((what) => `${kind} ${what}`));
  }

  get hosts(): string[] {
    const { isAirgapped, reachesRegistries } = this.options;
    const reaches = !isAirgapped && (this.registryUses > 0 || reachesRegistries());
    return [...new Set([...this.opened.host, ...(reaches ? REGISTRY_HOSTS : [])])];
  }

  /** For the proxy: an unknown host waits for the user's answer. */
  async decideHost(host: string, port: number, gone?: AbortSignal): Promise<ProxyDecision> {
    if (this.isClosed('host'))
      return { isAllowed: false, why: 'airgap allows only the host of the model', isFinal: true };
    const list = this.hosts.flatMap((entry) => parseHostEntry(entry) ?? []);
    // A question about the name alone: each connection is decided on by its port.
    const isListed =
      port === 0
        ? list.some((entry) => entry.ports.some((each) => allowsHost([entry], host, each)))
        : allowsHost(list, host, port);
    if (isListed) return { isAllowed: true, why: 'allow-listed' };
    const what = port === 443 || port === 80 || port === 0 ? host : `${host}:${port}`;
    if (this.passing.has(what)) return { isAllowed: true, why: 'the user allowed it: once' };
    const answer = await this.request({ kind: 'host', what }, gone);
    if (answer === 'once') this.passing.add(what);
    if (answer !== 'no') return { isAllowed: true, why: `the user allowed it: ${answer}` };
    return { isAllowed: false, why: `${what} is not an allowed host` };
  }

  /** A command has ended: what was allowed once is closed. */
  closePassing(): void {
    this.passing.clear();
  }

  /** Asks, and opens what was allowed. `gone` says that the program which wants it waits no longer. */
  async request(wish: BoundsWish, gone?: AbortSignal): Promise<BoundsAnswer> {
    const given = await this.askOnce(wish, gone);
    if (given === 'session' || given === 'always') this.opened[wish.kind].add(wish.what);
    if (given === 'always') saveGrant(this.options.home, { kind: wish.kind, what: wish.what, root: this.options.root });
    return given;
  }

  /** For this one command. */
  async confirm(wish: ConfirmedWish): Promise<boolean> {
    return (await this.askOnce(wish)) !== 'no';
  }

  /** One question at a time, and the same only once: a refusal lasts for the session. It is withdrawn when no program waits for it. */
  private async askOnce(wish: BoundsWish | ConfirmedWish, gone?: AbortSignal): Promise<BoundsAnswer> {
    const key = `${wish.kind} ${wish.what}`;
    const { ask } = this.options;
    if (!ask || this.refused.has(key) || this.isClosed(wish.kind)) return 'no';
    const asked = this.asking.get(key) ?? this.startAsking(key, wish, ask);
    asked.wait(gone);
    return asked.answer;
  }

  private startAsking(key: string, wish: BoundsWish | ConfirmedWish, ask: Ask): Asked {
    const waiters = new Waiters();
    const question = new AbortController();
    waiters.gone.addEventListener('abort', () => question.abort());
    const answer = this.last.then(async (): Promise<BoundsAnswer> => {
      const limit = setTimeout(() => question.abort(), this.options.answerLimitMs ?? ANSWER_LIMIT_MS);
      // A surface that does not withdraw its question keeps no other one waiting.
      const ended = new Promise<BoundsAnswer>((resolve) => {
        if (question.signal.aborted) resolve('no');
        question.signal.addEventListener('abort', () => resolve('no'));
      });
      const given = question.signal.aborted ? ended : ask(wish, question.signal).catch((): BoundsAnswer => 'no');
      const chosen = await Promise.race([given, ended]).finally(() => clearTimeout(limit));
      this.asking.delete(key);
      if (!waiters.gone.aborted) this.options.onAnswer?.(wish, chosen);
      // A user who was away is asked again.
      if (chosen === 'no' && !question.signal.aborted) this.refused.add(key);
      return chosen;
    });
    this.last = answer.catch(() => undefined);
    const asked = { answer, wait: (gone?: AbortSignal) => waiters.add(gone) };
    this.asking.set(key, asked);
    return asked;
  }

  private isClosed(kind: GrantKind | ConfirmedWish['kind']): boolean {
    return this.options.isAirgapped === true && (kind === 'host' || kind === 'leave');
  }

  /** Opens a path for one attempt; the result closes it again. */
  openOnce(kind: 'write' | 'read', path: string): () => void {
    if (this.opened[kind].has(path)) return () => undefined;
    this.opened[kind].add(path);
    return () => void this.opened[kind].delete(path);
  }

  /** Opens package registries while a command runs; the result closes them again. */
  openRegistries(): () => void {
    this.registryUses++;
    return () => void this.registryUses--;
  }
}
