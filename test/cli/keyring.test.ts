/**
 * `castor login` with a real keyring: GNOME's, unlocked in a session bus of its own. Where it is not installed the test is
 * skipped and its name says so (Debian: gnome-keyring, dbus).
 */

import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWorkspace, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const CASTOR = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const KEY = 'key-in-the-ring-0123456789';

const missing =
  process.platform === 'linux'
    ? ['dbus-run-session', 'gnome-keyring-daemon'].filter((name) => spawnSync(name, ['--version']).status !== 0)
    : ['linux'];
const reason = missing.length === 0 ? '' : ` (skipped: without ${missing.join(' and ')})`;

/** The daemon answers once it has written the variables of its sockets. */
const SCRIPT = `
printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null
printf '%s\\n' "$RING_KEY" | "$NODE" "$CASTOR" login work && unset RING_KEY
"$NODE" "$CASTOR" login --list
"$NODE" "$CASTOR" -m work/m -p hi
"$NODE" "$CASTOR" logout work
"$NODE" "$CASTOR" login --list
`;

describe.skipIf(missing.length > 0)(`the keyring of the system${reason}`, () => {
  it('stores a key, which no file holds, sends it, and forgets it', async () => {
    await using model = await fakeModel([say('from the ring')], { protocol: 'chat', key: KEY });
    const providers = { work: { baseUrl: `${model.url}/v1`, models: { m: { contextWindow: 100_000 } } } };
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ providers }) },
    });
    const { home, root } = workspace;
    const runtime = join(home, 'run');
    await mkdir(runtime, { mode: 0o700 });
    const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: runtime, NODE: process.execPath, CASTOR };
    const { stdout } = await run('dbus-run-session', ['--', 'sh', '-c', SCRIPT], {
      cwd: root,
      env: { ...env, RING_KEY: KEY },
    });
    expect(stdout).toContain('It is stored in the keyring.');
    expect(stdout).toMatch(/work +keyring +\d{4}-\d\d-\d\d/);
    expect(stdout).toContain('from the ring');
    expect(stdout).toMatch(/The stored key of work is deleted\.\n(?!work)/);
    expect(stdout).not.toContain(KEY);
    expect(await readFile(join(home, '.gemini', 'castor-keys.json'), 'utf8')).not.toContain(KEY);
    model.assertDone();
  });
});
