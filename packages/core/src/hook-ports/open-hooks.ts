/**
 * Opens the hooks of a session: reads the layers, leaves out hooks that may not run here, and
 * gives each hook its shell, its environment and its end. The only file that knows both the
 * hook room and the rooms whose rules apply to every child process.
 */

import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { readHookLayers } from '../hooks/hook-config.ts';
import type { HookEntry } from '../hooks/hook-config.ts';
import type { HookExecution, SessionEndReason, SessionStartSource } from '../hooks/hook-events.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import { HookRunner } from '../hooks/hook-runner.ts';
import type { HookGuard, HookShell } from '../hooks/hook-runner.ts';
import { HookSystem } from '../hooks/hook-system.ts';
import type { HookMessage } from '../hooks/hook-system.ts';
import { HookConsent, admitHooks } from '../hooks/hook-trust.ts';
import type { HookMessageEvent, NoticeEvent } from '../protocol/agent-events.ts';
import { isForeign, isProjectTrusted } from '../protocol/source.ts';
import type { Source } from '../protocol/source.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import {
  CALL_MARK,
  createChildEnvironment,
  isLoaderVariable,
  withholdSecrets,
} from '../tools/shell/child-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';
import type { Environment } from '../tools/shell/redact-environment.ts';
import { findProgram, toPowerShellArguments } from '../tools/shell/shell-program.ts';
import { Watchdog } from '../tools/shell/watchdog.ts';
import { untilAborted } from '../util/abort.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import type { Confine } from '../util/invocation.ts';
import { createHookPorts } from './hook-ports.ts';
import type { HookPorts } from './hook-ports.ts';

export interface OpenHooksOptions {
  layers: readonly HookLayer[];
  sessionId: string;
  /** The folder the session works in, as a real path. */
  root: string;
  home: string;
  plansDirectory: string;
  transcriptPath: () => string;
  /** The user's own environment; this file decides which of it a hook receives. */
  environment: Environment;
  /** Credentials in use, withheld from every hook. */
  secrets?: readonly string[];
  /** Which variables hooks do not get, but for those of their own entry. */
  redaction?: RedactionOptions | undefined;
  /** The project's own hooks run only if the project is trusted. */
  sources: readonly Source[];
  /** Trusted by a flag or a variable: new and changed hooks run too. */
  isTrustedForRun?: boolean;
  hints?: UserHints | undefined;
  clock?: Clock;
  /** Puts each hook into a sandbox; absent: none was asked for. */
  confine?: Confine | undefined;
  /** Called for every run of a hook, for telemetry. */
  onExecution?: (execution: HookExecution) => void;
  /** Receives hook messages for the user, and notices about hooks that do not run or come from the project. */
  post: (event: HookMessageEvent | NoticeEvent) => void;
}

export interface EndLimits {
  limitMs?: number;
  /** Once aborted, two more seconds are left: the user wants the program to end. */
  hurry?: AbortSignal;
}

export interface SessionHooks extends Pick<HookPorts, 'agent' | 'model' | 'tool'> {
  /** Enables or disables hooks by name for the rest of the session; returns whether one of that name may run here. */
  setEnabled(name: string, isEnabled: boolean): boolean;
  /** The hooks' context for the model before the first prompt, framed. */
  sessionStart(source: SessionStartSource, signal: AbortSignal): Promise<string | undefined>;
  /** Ends within its limits, whatever the hooks do. Does not reject. */
  sessionEnd(reason: SessionEndReason, limits?: EndLimits): Promise<void>;
  /** Kills the hooks that still run. Notifications get a moment to finish. */
  dispose(): Promise<void>;
}

const NOTIFICATION_GRACE_MS = 1_000;
const HURRIED_MS = 2_000;

export function openHooks(options: OpenHooksOptions): SessionHooks {
  const { clock = systemClock, post, onExecution } = options;
  const tell = (message: HookMessage) => post({ type: 'hook_message', ...message });
  const watchdog = new Watchdog();
  const shell = findShell(options.environment);
  const runner = new HookRunner({ shell, clock, guard: toGuard(watchdog), confine: options.confine });
  const system = new HookSystem({
    entries: readEntries(options),
    runner,
    clock,
    sessionId: options.sessionId,
    cwd: options.root,
    plansDirectory: options.plansDirectory,
    transcriptPath: options.transcriptPath,
    environmentOf: createEnvironmentOf(options),
    onMessage: tell,
    ...(onExecution && { onExecution }),
  });
  const { agent, model, tool, idle, sessionStart, sessionEnd } = createHookPorts(system, tell);
  return {
    agent,
    model,
    tool,
    sessionStart,
    setEnabled: (name, isEnabled) => system.setEnabled(name, isEnabled),
    sessionEnd: (reason, limits = {}) => withLimit((signal) => sessionEnd(reason, signal), limits, clock),
    async dispose() {
      await withLimit(idle, { limitMs: NOTIFICATION_GRACE_MS }, clock);
      runner.dispose();
      watchdog.dispose();
    },
  };
}

/** The watchdog starts before the hook, and finds processes that left the hook's group by their mark. */
function toGuard(watchdog: Watchdog): HookGuard {
  return {
    prepare() {
      watchdog.start();
      return { [CALL_MARK]: watchdog.nextMark() };
    },
    watch: (group) => watchdog.watch(group),
    unwatch: (group) => watchdog.unwatch(group),
  };
}

function readEntries(options: OpenHooksOptions): readonly HookEntry[] {
  const { layers, home, root, sources, isTrustedForRun = false, hints, post } = options;
  const isTrusted = isProjectTrusted(sources);
  const { entries, problems } = readHookLayers(layers);
  const consent = () => new HookConsent({ file: join(userDirectory(home), 'trusted_hooks.json'), root });
  const admission = admitHooks(entries, { isTrusted, isTrustedForRun, hint: hints?.trustHooks, consent });
  for (const message of [...problems, ...admission.messages]) post({ type: 'notice', level: 'warning', message });
  return admission.entries;
}

/** Withholds our credentials; variables that make programs load code are accepted only from the user's own files. */
export function createEnvironmentOf(
  options: Pick<OpenHooksOptions, 'environment' | 'secrets' | 'redaction'>,
): (entry: HookEntry) => Record<string, string> {
  const secrets = options.secrets && { secretValues: options.secrets };
  const redaction = options.redaction ?? { enabled: false };
  const own = createChildEnvironment({ base: options.environment, ...secrets, redaction });
  return ({ env, source }) => {
    // A provider may have been opened since.
    if (options.secrets) withholdSecrets(own, options.secrets);
    const wanted = Object.entries(env).filter(([name]) => !isForeign(source) || !isLoaderVariable(name));
    if (wanted.length === 0) return own;
    const passed = createChildEnvironment({ base: Object.fromEntries(wanted), ...secrets });
    return { ...own, ...Object.fromEntries(wanted.filter(([name, value]) => passed[name] === value)) };
  };
}

/** By absolute path, from fixed folders first: a program in the working directory is never used as the shell. */
export function findShell(environment: Environment): HookShell {
  if (process.platform === 'win32') return { file: 'powershell.exe', toArguments: toPowerShellArguments };
  const file = findProgram(['bash', 'sh'], environment, ['/bin', '/usr/bin', '/usr/local/bin']) ?? '/bin/sh';
  return { file, toArguments: (command) => ['-c', command] };
}

async function withLimit(
  work: (signal: AbortSignal) => Promise<void>,
  { limitMs, hurry }: EndLimits,
  clock: Clock,
): Promise<void> {
  const limit = new AbortController();
  const over = new AbortController();
  const endAfter = (ms: number) =>
    void clock.sleep(ms, over.signal).then(
      () => limit.abort(),
      () => undefined,
    );
  const onHurry = () => endAfter(HURRIED_MS);
  if (limitMs !== undefined) endAfter(limitMs);
  if (hurry?.aborted) onHurry();
  else hurry?.addEventListener('abort', onHurry, { once: true, signal: over.signal });
  // Work that ignores the abort is left behind.
  await untilAborted(work(limit.signal), limit.signal).catch(() => undefined);
  over.abort();
}
