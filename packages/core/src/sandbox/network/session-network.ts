/**
 * SessionNetwork: a network namespace for the commands of one session, with nothing in it but localhost, our proxy and a
 * resolver that knows no name and tells which were asked for. A small process of bubblewrap holds it; commands enter it.
 */

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { builtin } from '../../util/builtin-modules.ts';
import { normalizeHost } from './host-list.ts';
import { HOLDER_SOURCE } from './holder-source.ts';
import type { NetworkLog } from './network-log.ts';
import { SessionProxy } from './session-proxy.ts';
import type { ProxyDecision, SessionProxyOptions } from './session-proxy.ts';
import { ShownPorts } from './shown-ports.ts';
import type { ShownPort } from './shown-ports.ts';

export interface SessionNetworkOptions extends Pick<SessionProxyOptions, 'decide' | 'allowsAddress' | 'lookup'> {
  bubblewrap: string;
  nsenter: string;
  /** The session's own folder. */
  folder: string;
  log: NetworkLog;
  /** Called with each port of a command that is shown on this computer; absent: none is. */
  onPort?: ((shown: ShownPort) => void) | undefined;
}

const PROXY_PORT = 3128;
const START_TIMEOUT_MS = 15_000;
const INFO_DESCRIPTOR = 3;
/** What programs without a proxy connect to: ssh, http, https, git. */
const STANDING_PORTS = [22, 80, 443, 9418];
/** Addresses of localhost that stand for hosts: 127.77.0.1 and on. */
const MAX_STANDING = 250;

export class SessionNetwork {
  readonly log: NetworkLog;
  private readonly options: SessionNetworkOptions;
  private readonly proxy: SessionProxy;
  private readonly holder: ChildProcess;
  private readonly pid: number;
  /** By host, the address that stands for it. */
  private readonly standing = new Map<string, string>();
  private readonly ports: ShownPorts | undefined;
  /** Questions about names, by their number. */
  private readonly waiting = new Map<string, AbortController>();

  private constructor(options: SessionNetworkOptions, proxy: SessionProxy, holder: ChildProcess, pid: number) {
    this.options = options;
    this.log = options.log;
    this.proxy = proxy;
    this.holder = holder;
    this.pid = pid;
    const { onPort, folder } = options;
    this.ports = onPort && new ShownPorts(doorOf(folder), onPort);
    readLines(holder, (line) => {
      if (line.startsWith('ports ')) void this.ports?.update(line.slice(6).split(',').filter(Boolean).map(Number));
      else if (line.startsWith('gone ')) this.waiting.get(line.slice(5))?.abort();
      else void this.answerQuery(line);
    });
  }

  /** Rejects with a sentence when the namespace does not start. */
  static async open(options: SessionNetworkOptions): Promise<SessionNetwork> {
    const socketPath = join(options.folder, 'proxy.sock');
    const proxy = new SessionProxy({ ...options, socketPath });
    await proxy.listen();
    const words = [
      ...['--unshare-user', '--unshare-net', '--dev-bind', '/', '/', '--cap-add', 'CAP_NET_BIND_SERVICE'],
      ...['--die-with-parent', '--info-fd', String(INFO_DESCRIPTOR)],
      ...['--', process.execPath, '-e', HOLDER_SOURCE, socketPath, String(PROXY_PORT), doorOf(options.folder)],
    ];
    const holder = builtin.childProcess.spawn(options.bubblewrap, words, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
    });
    // An answer may come after the process has ended, and is for no one then.
    holder.stdin?.on('error', () => undefined);
    try {
      const pid = await started(holder);
      holder.unref();
      return new SessionNetwork(options, proxy, holder, pid);
    } catch (error) {
      holder.kill('SIGKILL');
      proxy.close();
      throw error;
    }
  }

  /** The words before those of bubblewrap that let it run in the namespace. */
  get enterWords(): string[] {
    return [this.options.nsenter, '-t', String(this.pid), '-U', '-n', '--preserve-credentials', '--'];
  }

  /** `call` names the command in the log. */
  variablesFor(call: string): Record<string, string> {
    this.proxy.expect(call);
    if (this.ports) this.holder.stdin?.write('watch\n');
    return proxyVariables(call, PROXY_PORT);
  }

  close(): void {
    this.holder.kill('SIGKILL');
    this.proxy.close();
    this.ports?.close();
  }

  /** A name is held until it is decided on. An allowed one gets an address here, whose connections go through the proxy. */
  private async answerQuery(line: string): Promise<void> {
    const [, id, name = ''] = /^query (\d+) (\S{1,253})$/.exec(line) ?? [];
    if (id === undefined) return;
    const host = normalizeHost(name);
    const gone = new AbortController();
    this.waiting.set(id, gone);
    // A name without a dot is that of this computer or its network.
    const decision: ProxyDecision = host?.includes('.')
      ? await this.options.decide(host, 0, undefined, gone.signal)
      : { isAllowed: false, why: 'a name without a dot is one of this computer or its network', isFinal: true };
    this.waiting.delete(id);
    const address = decision.isAllowed && host !== undefined ? this.addressOf(host) : undefined;
    if (address === undefined)
      this.log.add({ ...decision, call: undefined, host: host ?? name, port: 0, isAllowed: false });
    const rest = address === undefined ? '' : ` ${host} ${address} ${STANDING_PORTS.join(',')}`;
    this.holder.stdin?.write(`answer ${id}${rest}\n`);
  }

  private addressOf(host: string): string | undefined {
    const known = this.standing.get(host);
    if (known !== undefined || this.standing.size >= MAX_STANDING) return known;
    const address = `127.77.0.${this.standing.size + 1}`;
    this.standing.set(host, address);
    return address;
  }
}

/** Where the holder takes connections to ports of commands. */
function doorOf(folder: string): string {
  return join(folder, 'ports.sock');
}

/** What programs find the proxy by; the user name in its address names the command in the log. */
export function proxyVariables(call: string, port: number): Record<string, string> {
  const address = `http://${call}:x@127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const none = 'localhost,127.0.0.1,::1';
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    ...{ NO_PROXY: none, no_proxy: none, NODE_USE_ENV_PROXY: '1' },
  };
}

async function started(holder: ChildProcess): Promise<number> {
  let errors = '';
  holder.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-2000)));
  const failed = new Promise<never>((_resolve, reject) => {
    holder.once('error', reject);
    holder.once('exit', () =>
      reject(new Error(`The network of the sandbox does not start: ${errors.trim() || 'no reason'}`)),
    );
    setTimeout(() => reject(new Error('The network of the sandbox does not start in time.')), START_TIMEOUT_MS).unref();
  });
  failed.catch(() => undefined);
  let info = '';
  const info3 = holder.stdio[INFO_DESCRIPTOR];
  if (info3 && 'on' in info3) info3.on('data', (chunk: Buffer) => (info += chunk.toString('utf8')));
  const ready = new Promise<void>((resolve) => {
    const stop = readLines(holder, (line) => {
      if (line !== 'ready') return;
      stop();
      resolve();
    });
  });
  await Promise.race([ready, failed]);
  const pid = /"child-pid":\s*(\d+)/.exec(info)?.[1];
  if (pid === undefined) throw new Error('The network of the sandbox did not name its process.');
  for (const stream of holder.stdio) if (stream && 'unref' in stream) (stream as { unref(): void }).unref();
  return Number(pid);
}

function readLines({ stdout }: ChildProcess, onLine: (line: string) => void): () => void {
  let rest = '';
  const onData = (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = (lines.pop() ?? '').slice(-1000);
    for (const line of lines) onLine(line);
  };
  stdout?.on('data', onData);
  return () => stdout?.off('data', onData);
}
