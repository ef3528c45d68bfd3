/**
 * Sandbox: confines the programs of one session with bubblewrap. It keeps the plan of each profile until the disk or the
 * grants change, and turns an invocation into one that runs inside. It starts nothing itself.
 */

import { isAbsolute } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { builtin } from '../util/builtin-modules.ts';
import type { Confine, Invocation, ProgramUse } from '../util/invocation.ts';
import { toBubblewrapArguments } from './bubblewrap-arguments.ts';
import { confineVariables } from './child-variables.ts';
import type { CommandSandbox } from './command-sandbox.ts';
import { ARGUMENTS_DESCRIPTOR, FILTER_DESCRIPTOR, LaunchWords } from './launch-words.ts';
import { MountCheck } from './mount-check.ts';
import { findOnPath, probeBubblewrap } from './probe-bubblewrap.ts';
import type { Bubblewrap } from './probe-bubblewrap.ts';
import { Quarantine } from './quarantine.ts';
import { SandboxError } from './sandbox-error.ts';
import { NetworkLog } from './network/network-log.ts';
import type { NetworkAttempt } from './network/network-log.ts';
import { SessionNetwork } from './network/session-network.ts';
import type { SessionNetworkOptions } from './network/session-network.ts';
import type { SessionProxyOptions } from './network/session-proxy.ts';
import { ResourceWatch } from './resource-watch.ts';
import type { ResourceLimits } from './resource-watch.ts';
import { findSwapped } from './find-swapped.ts';
import { planSandbox } from './sandbox-plan.ts';
import type { SandboxPlan } from './sandbox-plan.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { createSeccompFilter } from './seccomp-filter.ts';
import { SessionFolder } from './session-folder.ts';
import { isStale, surveyDisk } from './survey-disk.ts';
import { realPath } from './survey-protected.ts';
import type { Survey } from './survey-disk.ts';

export interface SandboxOptions {
  home: string;
  /** The workspace and its additional folders. */
  roots: readonly string[];
  /** The workspace is a worktree that Castor made without a branch: branches, tags and the stash of its repository stay read-only. */
  borrowsRepository?: boolean | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** The profile of a program that starts now. */
  profile(): SandboxProfile;
  /** Places that the user opened, by a setting or a grant. */
  granted(): { writable: readonly string[]; readable: readonly string[] };
  /** Folders inside hidden ones that commands need. */
  needed?: readonly string[] | undefined;
  /** Variables that reach commands though their names or values look like secrets. */
  allowedVariables?: readonly string[] | undefined;
  /** Where planted files are moved. */
  quarantineDirectory: string;
  /** Decides on the hosts that commands ask for; absent: no command has a network. */
  decideHost?: SessionProxyOptions['decide'] | undefined;
  onAttempt?: ((attempt: NetworkAttempt) => void) | undefined;
  allowsAddress?: SessionProxyOptions['allowsAddress'];
  lookup?: SessionProxyOptions['lookup'];
  /** Called with each port of a command that is shown on this computer; absent: none is. */
  onPort?: SessionNetworkOptions['onPort'];
  /** The caller has tried the whole recipe on this computer: no trial before the first command. */
  isTried?: boolean | undefined;
  /** For tests. */
  limits?: Partial<ResourceLimits> | undefined;
  /** Called when a program was ended that used too much. */
  onStopped?: ((reason: string) => void) | undefined;
}

interface Prepared {
  plan: SandboxPlan;
  argumentsFile: string;
}

/** A name waits for the user's answer, as long as resolvers can wait. */
const RESOLVER = 'nameserver 127.0.0.1\noptions timeout:30 attempts:5\n';
/** The names of more commands than run at once. */
const KEPT_NAMES = 100;
/** Everything else may leave a job behind that ends with the session. */
const DIES_WITH_PARENT: ReadonlySet<ProgramUse> = new Set<ProgramUse>(['terminal', 'hook', 'server', 'tool']);

export class Sandbox implements CommandSandbox {
  readonly bubblewrap: Bubblewrap;
  readonly quarantine: Quarantine;
  private readonly options: SandboxOptions;
  private readonly folder: SessionFolder;
  private readonly filterFile: string | undefined;
  private readonly launch = new LaunchWords();
  private readonly mountCheck: MountCheck;
  private readonly prepared = new Map<string, Prepared>();
  readonly log: NetworkLog;
  private readonly resources: ResourceWatch;
  /** Why programs were ended, in their order. */
  private readonly stops: string[] = [];
  private network: Promise<SessionNetwork | undefined> | undefined;
  private networkProblem: string | undefined;
  private commandNames: string[] = [];
  private survey: Survey | undefined;
  private surveyKey = '';

  private constructor(options: SandboxOptions, bubblewrap: Bubblewrap) {
    this.options = options;
    this.bubblewrap = bubblewrap;
    this.folder = new SessionFolder();
    this.mountCheck = new MountCheck(options.roots, this.launch.closing);
    const filter = createSeccompFilter(process.arch);
    this.filterFile = filter && this.folder.write('filter', filter);
    this.quarantine = new Quarantine(options.quarantineDirectory);
    this.log = new NetworkLog(options.onAttempt);
    this.resources = new ResourceWatch({
      folders: [...options.roots, this.folder.temporary],
      limits: options.limits,
      onStopped: (reason) => {
        this.stops.push(reason);
        options.onStopped?.(reason);
      },
    });
  }

  /** Throws SandboxError with the exact reason. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const file = options.isTried ? findOnPath('bwrap', options.environment, options.roots) : undefined;
    if (file !== undefined) return new Sandbox(options, { file, canDisableNamespaces: true, hasOwnProc: true });
    const probe = await probeBubblewrap(options.environment, options.roots);
    if (!probe.works) throw new SandboxError(probe.reason);
    return new Sandbox(options, probe.bubblewrap);
  }

  /** What is weaker than usual on this computer. */
  get warnings(): string[] {
    const { weakness } = this.bubblewrap;
    const asRoot = process.getuid?.() === 0;
    return [
      ...(weakness === undefined ? [] : [weakness]),
      ...(this.filterFile === undefined ? [`There is no filter of system calls for ${process.arch}.`] : []),
      ...(asRoot
        ? ['You are root: commands in the sandbox can read every file of this computer that is not hidden.']
        : []),
    ];
  }

  /** The folder that commands see as /tmp. */
  get temporary(): string {
    return this.folder.temporary;
  }

  planOf(profile: SandboxProfile = this.options.profile()): SandboxPlan {
    return this.prepare(profile).plan;
  }

  get profile(): SandboxProfile {
    return this.options.profile();
  }

  readonly confine: Confine = async (invocation, use) => {
    const profile = this.options.profile();
    if (profile === 'off') return invocation;
    return this.wrap(invocation, use, profile, await this.networkOf(profile));
  };

  /** The network of the session, opened by its first command; undefined in a profile without one. */
  networkOf(profile: SandboxProfile): Promise<SessionNetwork | undefined> {
    if (profile === 'read-only' || profile === 'off' || !this.options.decideHost) return Promise.resolve(undefined);
    this.network ??= this.openNetwork(this.options.decideHost).catch((error: unknown) => {
      this.networkProblem = getErrorMessage(error);
      return undefined;
    });
    return this.network;
  }

  /** Resolves programs by name first: inside, a missing one would look like a failed command. */
  wrap(invocation: Invocation, use: ProgramUse, profile: SandboxProfile, network?: SessionNetwork): Invocation {
    const { argumentsFile, plan } = this.prepareSafely(profile, network !== undefined);
    this.resources.expect();
    const call = `call-${builtin.crypto.randomBytes(6).toString('hex')}`;
    if (use === 'command' || use === 'terminal') this.commandNames = [...this.commandNames.slice(-KEPT_NAMES), call];
    // A server's own variables are those its configuration names: the user gave them to it.
    const allowed = use === 'server' ? Object.keys(invocation.environment) : this.options.allowedVariables;
    const environment = {
      ...confineVariables(invocation.environment, allowed),
      ...network?.variablesFor(call),
    };
    const file = isAbsolute(invocation.file) ? invocation.file : findOnPath(invocation.file, environment);
    if (file === undefined) {
      const message = `spawn ${invocation.file} ENOENT`;
      throw Object.assign(new Error(message), { code: 'ENOENT', path: invocation.file });
    }
    const isTerminal = use === 'terminal';
    const check = this.mountCheck.wordsOf(plan);
    const inner = this.launch.inner([...check, file, ...invocation.args], isTerminal);
    const words = [
      ...(network?.enterWords ?? []),
      this.bubblewrap.file,
      ...(DIES_WITH_PARENT.has(use) ? ['--die-with-parent'] : []),
      ...['--args', String(ARGUMENTS_DESCRIPTOR)],
      ...(this.filterFile === undefined ? [] : ['--seccomp', String(FILTER_DESCRIPTOR)]),
      ...['--chdir', invocation.directory, '--', ...inner],
    ];
    const files = { arguments: argumentsFile, filter: this.filterFile };
    const started = this.launch.start(words, files, { isTerminal, closesItself: check.length > 0 });
    return { ...started, directory: invocation.directory, environment };
  }

  /** Starts to listen for commands: the result says what they tried to reach, and leaves out what others did. */
  watchNetwork(): () => NetworkAttempt[] {
    const mark = this.log.mark;
    const earlier = new Set(this.commandNames);
    return () => {
      const own = new Set(this.commandNames.filter((name) => !earlier.has(name)));
      return this.log.since(mark).filter(({ call }) => call === undefined || own.has(call));
    };
  }

  /** Starts to listen for the ends of programs that used too much. */
  watchStops(): () => string[] {
    const mark = this.stops.length;
    return () => this.stops.slice(mark);
  }

  /** Forgets the plans: the disk or the grants changed. */
  refresh(): void {
    this.prepared.clear();
    this.survey = undefined;
  }

  /** The protected paths that no mount protects, because they do not exist or are links. */
  watched(): readonly string[] {
    return this.look().watched;
  }

  get isCutShort(): boolean {
    return this.look().isCutShort;
  }

  dispose(): void {
    void this.network?.then((network) => network?.close());
    this.resources.close();
    this.folder.remove();
  }

  private async openNetwork(decide: SessionProxyOptions['decide']): Promise<SessionNetwork> {
    const { environment, roots, allowsAddress, lookup, onPort } = this.options;
    const nsenter = findOnPath('nsenter', environment, roots);
    if (nsenter === undefined) throw new Error('nsenter (util-linux) is not installed: commands have no network.');
    const { file } = this.bubblewrap;
    return SessionNetwork.open({
      bubblewrap: file,
      nsenter,
      folder: this.folder.path,
      decide,
      log: this.log,
      allowsAddress,
      lookup,
      onPort,
    });
  }

  /** Why commands have no network though they should, as a sentence. */
  get problem(): string | undefined {
    return this.networkProblem;
  }

  /** A program that still runs may have swapped a folder for a link since the plan was made: a mount would follow it. */
  private prepareSafely(profile: SandboxProfile, sharesNetwork: boolean): Prepared {
    if (this.survey && isStale(this.survey)) this.refresh();
    const prepared = this.prepare(profile, sharesNetwork);
    if (findSwapped(prepared.plan, this.options.roots) === undefined) return prepared;
    this.refresh();
    const again = this.prepare(profile, sharesNetwork);
    const swapped = findSwapped(again.plan, this.options.roots);
    if (swapped === undefined) return again;
    throw new SandboxError(`Not run: a program in the sandbox keeps replacing ${swapped} by a link. End it first.`);
  }

  private prepare(profile: SandboxProfile, sharesNetwork = false): Prepared {
    const granted = this.options.granted();
    const key = JSON.stringify(granted);
    if (key !== this.surveyKey) this.refresh();
    this.surveyKey = key;
    const name = `${profile} ${sharesNetwork}`;
    const known = this.prepared.get(name);
    if (known) return known;
    const plan = planSandbox(this.look().facts, profile);
    const { canDisableNamespaces, hasOwnProc } = this.bubblewrap;
    const words = toBubblewrapArguments(plan, {
      emptyFile: this.folder.emptyFile,
      ...{ canDisableNamespaces, hasOwnProc, sharesNetwork },
      ...(sharesNetwork && { resolver: this.resolver() }),
    });
    const content = words.map((word) => `${word}\0`).join('');
    const prepared = { plan, argumentsFile: this.folder.write('arguments', content) };
    this.prepared.set(name, prepared);
    return prepared;
  }

  /** Names only our resolver; bound where the system's own file really is. */
  private resolver(): { file: string; over: string } | undefined {
    const over = realPath('/etc/resolv.conf');
    return over === undefined ? undefined : { file: this.folder.write('resolv', RESOLVER), over };
  }

  private look(): Survey {
    const { home, roots, needed, borrowsRepository } = this.options;
    const { temporary, emptyFile } = this.folder;
    const places = { home, roots, needed, borrowsRepository, temporary, emptyFile };
    const keep = (text: string) => this.folder.write('masked', text);
    this.survey ??= surveyDisk({ ...places, keep, ...this.options.granted() });
    return this.survey;
  }
}
