/**
 * Seals the process of a replay: from here on it starts no program, connects to nothing and loads no native code. A recording may be the
 * file of a stranger, with settings that name hooks, servers and commands; whichever room would follow them, cannot.
 */

const STARTING = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;

export function sealProcess(): void {
  const programs = process.getBuiltinModule('node:child_process') as unknown as Record<string, unknown>;
  const { ChildProcess } = process.getBuiltinModule('node:child_process');
  for (const name of STARTING) programs[name] = () => refuse('starts no program');
  (ChildProcess.prototype as unknown as Record<string, unknown>)['spawn'] = () => refuse('starts no program');
  const { Socket } = process.getBuiltinModule('node:net');
  Socket.prototype.connect = () => refuse('has no network');
  const datagrams = process.getBuiltinModule('node:dgram');
  datagrams.Socket.prototype.send = () => refuse('has no network');
  process.dlopen = () => refuse('loads no native code');
  // For modules that import a name.
  process.getBuiltinModule('node:module').syncBuiltinESMExports();
}

function refuse(what: string): never {
  throw new Error(`A replay ${what}.`);
}
