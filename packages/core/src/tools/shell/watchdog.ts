/**
 * Watchdog: ensures that nothing started in the foreground outlives this program, even
 * after kill -9. A small shell process holds the other end of a pipe; when this program
 * dies the pipe closes and the shell ends every running group, all descendants, and every
 * process that carries our mark in its environment or in its limits. The commands are
 * unaffected: no extra descriptor, no job.
 */

import type { ChildProcess } from 'node:child_process';
import { CALL_MARK } from './child-environment.ts';
import { createLimitMark, limitInBytes } from './limit-mark.ts';
import { builtin } from '../../util/builtin-modules.ts';

/** It ignores signals that a command may send by name; only its own input ends it. */
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
    quit) exit 0 ;;
  esac
done
marked() {
  for file in $(grep -lsz "^$1=$2\\." /proc/[0-9]*/environ) \${3:+$(grep -ls "^Max resident set  *$3 " /proc/[0-9]*/limits)}; do
    file=\${file#/proc/}
    echo "\${file%/*}"
  done
}
below() {
  table=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    rest=\${line##*) }
    rest=\${rest#* }
    table="$table \${line%% *}:\${rest%% *}"
  done
  known=" $1 "
  grown=1
  while [ "$grown" = 1 ]; do
    grown=0
    for entry in $table; do
      case $known in *" \${entry%:*} "*) continue ;; esac
      case $known in *" \${entry#*:} "*) known="$known\${entry%:*} "; grown=1 ;; esac
    done
  done
  echo "$known"
}
end() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for pid in $2; do kill -s "$1" "$pid"; done
}
strays=$(below "$groups $(marked "$@" | tr '\\n' ' ')")
end TERM "$strays"
sleep 0.2
end KILL "$strays"
for round in 1 2 3 4 5; do
  left=$(marked "$@")
  [ -z "$left" ] && break
  end KILL "$left"
done
`;

export class Watchdog {
  private readonly groups = new Set<number>();
  private process: ChildProcess | undefined;
  private calls = 0;
  private disposed = false;
  private ownMark: string | undefined;
  private ownLimitMark: number | undefined;

  /** Whether any command was ever watched. */
  get hasCalls(): boolean {
    return this.calls > 0;
  }

  /** The prefix of every call's mark. */
  get mark(): string {
    // Unique, not secret.
    this.ownMark ??= `${process.pid}-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}.`;
    return this.ownMark;
  }

  /** The limit set on every command; see limit-mark.ts. */
  get limitMark(): number | undefined {
    this.ownLimitMark ??= createLimitMark();
    return this.ownLimitMark;
  }

  /** A unique mark for one call. */
  nextMark(): string {
    return `${this.mark}${++this.calls}`;
  }

  /** From now on the group ends with this program. */
  watch(group: number): void {
    this.groups.add(group);
    this.start();
    this.say(`add ${group}`);
  }

  unwatch(group: number): void {
    if (this.groups.delete(group)) this.say(`drop ${group}`);
  }

  /** Runs with the first group at the latest; an earlier start spares the first command the wait. */
  start(): void {
    if (this.process !== undefined || this.disposed || process.platform === 'win32') return;
    const child = builtin.childProcess.spawn(
      '/bin/sh',
      [
        ...['-c', SCRIPT, 'castor-watchdog', CALL_MARK, this.mark.slice(0, -1)],
        ...(this.limitMark === undefined ? [] : [limitInBytes(this.limitMark)]),
      ],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        cwd: '/',
        env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      },
    );
    this.process = child;
    const lost = () => {
      if (this.process === child) this.process = undefined;
      if (this.groups.size > 0) this.restart();
    };
    child.once('error', lost);
    child.once('exit', lost);
    // The exit event reports a closed pipe.
    child.stdin?.on('error', () => {});
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
  }

  dispose(): void {
    this.disposed = true;
    this.groups.clear();
    this.say('quit');
    this.process?.stdin?.end();
  }

  private restart(): void {
    this.start();
    for (const group of this.groups) this.say(`add ${group}`);
  }

  private say(line: string): void {
    this.process?.stdin?.write(`${line}\n`);
  }
}
