/** A home folder with sign-ins, a user who consents at once, and an agent's connection to one server. For tests. */

import { createWorkspace } from '@castor/testkit';
import { existsSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { systemClock } from '../../util/clock.ts';
import type { Clock } from '../../util/clock.ts';
import { McpManager } from '../mcp-manager.ts';
import { createOpenTransport } from '../open-transport.ts';
import type { McpServer } from '../server-config.ts';
import type { OpenKeyring } from './keyring.ts';
import type { SignInPorts } from './sign-in.ts';
import { SignIns } from './sign-ins.ts';
import type { StoredSignIn } from './stored-sign-in.ts';

export { toServer } from './to-server.fixture.ts';

export interface HomeOptions {
  environment?: Record<string, string>;
  clock?: Clock;
  openKeyring?: OpenKeyring;
}

export async function openHome({ environment = {}, clock = systemClock, openKeyring }: HomeOptions = {}) {
  const workspace = await createWorkspace();
  const { home } = workspace;
  const file = join(home, '.gemini', 'mcp-oauth-tokens.json');
  const options = { home, environment, clock, openKeyring };
  return {
    home,
    file,
    options,
    signIns: new SignIns(options),
    get stored(): StoredSignIn[] {
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredSignIn[]) : [];
    },
    get mode(): number {
      return statSync(file).mode & 0o777;
    },
    write(path: string, content: unknown): void {
      const whole = join(home, '.gemini', path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    },
    /** Connects as an agent does; the state after the attempt. */
    async connect(server: McpServer) {
      const registry = new ToolRegistry();
      const manager = new McpManager({
        servers: [server],
        idle: [],
        tools: registry,
        open: createOpenTransport({ ...options, root: home }),
        openSignIns: () => Promise.resolve(new SignIns(options)),
        signInHint: (name) => `To sign in: login ${name}`,
        clientVersion: '1.0.0',
        clock,
      });
      await manager.settle(60_000, new AbortController().signal);
      return {
        manager,
        get state() {
          return manager.servers[0]!;
        },
        async call() {
          const { signal } = new AbortController();
          const tool = registry.getTool('mcp_one_echo')!;
          return tool.build({}).execute({ callId: 'c', signal, onOutput: () => {}, onPid: () => {} });
        },
        [Symbol.asyncDispose]: () => manager.dispose(),
      };
    },
    [Symbol.asyncDispose]: () => workspace.dispose(),
  };
}

export interface Visited extends SignInPorts {
  readonly urls: URL[];
  readonly notes: string[];
  /** The browser's last page. */
  readonly page: Promise<string>;
}

/** The user's browser follows the redirect at once. */
export function consenting(overrides: Partial<SignInPorts> = {}): Visited {
  const urls: URL[] = [];
  const notes: string[] = [];
  const { promise: page, resolve } = Promise.withResolvers<string>();
  return {
    urls,
    notes,
    page,
    signal: new AbortController().signal,
    visit({ url }) {
      urls.push(new URL(url));
      void fetch(url).then(async (response) => resolve(await response.text()), resolve);
    },
    note: (sentence) => void notes.push(sentence),
    ...overrides,
  };
}
