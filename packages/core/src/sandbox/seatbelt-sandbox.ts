/**
 * SeatbeltSandbox: confines the programs of one session with macOS's sandbox-exec, from the same plan as bubblewrap. Untried
 * on a Mac; its arguments and profiles are tested as text.
 */

import { existsSync } from 'node:fs';
import { builtin } from '../util/builtin-modules.ts';
import type { Confine, Invocation } from '../util/invocation.ts';
import { confineVariables } from './child-variables.ts';
import type { CommandSandbox } from './command-sandbox.ts';
import { NetworkLog } from './network/network-log.ts';
import type { NetworkAttempt } from './network/network-log.ts';
import { proxyVariables } from './network/session-network.ts';
import { SessionProxy } from './network/session-proxy.ts';
import { Quarantine } from './quarantine.ts';
import type { SandboxOptions } from './sandbox.ts';
import { SandboxError } from './sandbox-error.ts';
import { planSandbox } from './sandbox-plan.ts';
import type { SandboxPlan } from './sandbox-plan.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { toSeatbeltProfile } from './seatbelt-profile.ts';
import { SessionFolder } from './session-folder.ts';
import { surveyDisk } from './survey-disk.ts';
import type { Survey } from './survey-disk.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

export class SeatbeltSandbox implements CommandSandbox {
  readonly quarantine: Quarantine;
  readonly log: NetworkLog;
  readonly problem = undefined;
  readonly warnings = ['The sandbox of macOS is new in Castor and was not tried on a Mac yet.'];
  private readonly options: SandboxOptions;
  private readonly folder = new SessionFolder();
  private readonly program: string;
  private proxy: Promise<SessionProxy> | undefined;
  private survey: Survey | undefined;
  private surveyKey = '';

  private constructor(options: SandboxOptions, program: string) {
    this.options = options;
    this.program = program;
    this.quarantine = new Quarantine(options.quarantineDirectory);
    this.log = new NetworkLog(options.onAttempt);
  }

  /** Throws SandboxError. */
  static async open(options: SandboxOptions, program = PROGRAM): Promise<SeatbeltSandbox> {
    if (!existsSync(program)) throw new SandboxError(`${program} is missing: this macOS has no seatbelt.`);
    return new SeatbeltSandbox(options, program);
  }

  planOf(profile: SandboxProfile = this.options.profile()): SandboxPlan {
    return planSandbox(this.look().facts, profile);
  }

  readonly confine: Confine = async (invocation) => {
    const profile = this.options.profile();
    if (profile === 'off') return invocation;
    return this.wrap(invocation, profile, profile === 'read-only' ? undefined : await this.openProxy());
  };

  watched(): readonly string[] {
    return this.look().watched;
  }

  watchNetwork(): () => NetworkAttempt[] {
    const mark = this.log.mark;
    return () => this.log.since(mark);
  }

  /** Seatbelt sees no processes of others: nothing is ended for what it uses. */
  watchStops(): () => string[] {
    return () => [];
  }

  refresh(): void {
    this.survey = undefined;
  }

  get isCutShort(): boolean {
    return this.look().isCutShort;
  }

  dispose(): void {
    void this.proxy?.then((proxy) => proxy.close());
    this.folder.remove();
  }

  private wrap(invocation: Invocation, profile: SandboxProfile, proxy: SessionProxy | undefined): Invocation {
    const { facts, watched } = this.look();
    const call = `call-${builtin.crypto.randomBytes(6).toString('hex')}`;
    proxy?.expect(call);
    const text = toSeatbeltProfile(planSandbox(facts, profile), {
      roots: facts.roots,
      watched,
      proxyPort: proxy?.port,
    });
    return {
      file: this.program,
      args: ['-f', this.folder.write('profile', text), invocation.file, ...invocation.args],
      directory: invocation.directory,
      environment: {
        ...confineVariables(invocation.environment, this.options.allowedVariables),
        ...(proxy?.port !== undefined && proxyVariables(call, proxy.port)),
        ...{ TMPDIR: this.folder.temporary, SANDBOX: 'sandbox-exec' },
      },
    };
  }

  private openProxy(): Promise<SessionProxy> | undefined {
    const { decideHost: decide, allowsAddress, lookup } = this.options;
    if (!decide) return undefined;
    this.proxy ??= (async () => {
      const proxy = new SessionProxy({ decide, log: this.log, allowsAddress, lookup });
      await proxy.listen();
      return proxy;
    })();
    return this.proxy;
  }

  private look(): Survey {
    const granted = this.options.granted();
    const key = JSON.stringify(granted);
    if (key !== this.surveyKey) this.refresh();
    this.surveyKey = key;
    const { home, roots, needed, borrowsRepository } = this.options;
    const { temporary, emptyFile } = this.folder;
    this.survey ??= surveyDisk({ home, roots, needed, borrowsRepository, temporary, emptyFile, ...granted });
    return this.survey;
  }
}
