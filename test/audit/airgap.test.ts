/** `--airgap` with a real resolver, real listeners and real commands: nothing but the host of the model is asked for or reached. */

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';

const FIXTURE = fileURLToPath(new URL('./airgap.fixture.ts', import.meta.url));
const reason = await reasonToSkip();
const skipped = reason === undefined ? '' : `: skipped, ${reason}`;

interface Happened {
  names: string[];
  connections: number;
  code: number;
  stdout: string;
  stderr: string;
  last: string;
  audit: { kind: string; host?: string; refusal?: string; why?: string; call?: string }[];
}

/** In a network that has nothing but its own loopback, and a resolver that answers every name. */
async function runInOwnNetwork(...flags: string[]): Promise<Happened> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-airgap-'));
  try {
    const resolver = join(folder, 'resolv.conf');
    writeFileSync(resolver, 'nameserver 127.0.0.1\n');
    const words = [
      ...['--unshare-user', '--uid', '0', '--gid', '0', '--unshare-net', '--cap-add', 'ALL', '--dev-bind', '/', '/'],
      ...['--ro-bind', resolver, realpathSync('/etc/resolv.conf'), '--', process.execPath, FIXTURE, ...flags],
    ];
    const { stdout } = await promisify(execFile)('bwrap', words, { maxBuffer: 32 * 1024 * 1024 });
    return JSON.parse(stdout) as Happened;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(reason !== undefined)(`a run with --airgap${skipped}`, () => {
  it('resolves and reaches nothing but the host of the model, and lists what it refused', async () => {
    const { names, connections, code, stdout, stderr, last, audit } = await runInOwnNetwork('--airgap');
    expect([code, names, connections]).toEqual([0, ['model.test'], 0]);
    const { airgap } = JSON.parse(stdout) as { airgap: { refused: { host: string; why: string }[] } };
    const refused = airgap.refused.map(({ host, why }) => `${host} ${why}`).sort();
    expect(refused).toEqual([
      'agent.test remote agent',
      'collector.test telemetry',
      'command.test sandbox proxy',
      'name.test sandbox proxy',
      'server.test MCP server',
    ]);
    expect(stderr).toContain('castor: --airgap refused: ');
    // The model reads why, and no tool of the network is offered.
    expect(last).toContain('agent.test');
    expect(last).not.toContain('reached42');
    expect(last).not.toContain('"name":"google_web_search"');
    const recorded = audit.filter(({ refusal }) => refusal !== undefined).map(({ host }) => host);
    expect(new Set(recorded)).toEqual(
      new Set(['agent.test', 'collector.test', 'command.test', 'name.test', 'server.test']),
    );
    expect(audit.find(({ host }) => host === 'command.test')?.call).toMatch(/^run_shell_command/);
  });
});

describe.skipIf(process.platform !== 'linux')('--airgap', () => {
  it('ends with 44 where there is no sandbox, before anything is sent, and excludes --no-sandbox', async () => {
    const homeFiles = { 'bin/bwrap': '#!/bin/sh\nexit 1\n' };
    await using workspace = await createWorkspace({ homeFiles });
    chmodSync(join(workspace.home, 'bin', 'bwrap'), 0o755);
    await using model = await fakeModel([say('never')]);
    const env = { PATH: `${join(workspace.home, 'bin')}:${process.env['PATH']}` };
    const run = await runCli(['-p', 'go', '--airgap'], { model, workspace, env });
    expect([run.code, run.stderr]).toEqual([44, expect.stringContaining('--airgap needs it')]);
    const both = await runCli(['-p', 'go', '--airgap', '--no-sandbox'], { model, workspace });
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('remove --no-sandbox')]);
    expect(model.requests).toEqual([]);
  });

  it('is a setting of the user that commands of castor keep too, and that a project cannot change', async () => {
    await using workspace = await createWorkspace({
      files: { '.gemini/settings.json': JSON.stringify({ castor: { airgap: false } }) },
    });
    mkdirSync(join(workspace.home, '.gemini'), { recursive: true });
    writeFileSync(join(workspace.home, '.gemini', 'settings.json'), JSON.stringify({ castor: { airgap: true } }));
    const install = ['extensions', 'install', 'https://extensions.test/one.git', '--consent'];
    const run = await runCli(install, { workspace, env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('--airgap allows only the host of the model')]);
    const shown = await runCli(['audit', 'show', '--host', 'extensions.test'], { workspace });
    expect(shown.stdout).toMatch(/shut {3}extensions\.test:443 {2}extension install/);
  });
});
