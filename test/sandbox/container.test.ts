/** The whole program in a container: with engines that only pass the words on, and with podman where it runs. */

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { call, createWorkspace, fakeModel, runCli, say, TEST_API_KEY } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

/** Keeps its words, and runs what follows the image as a container would. */
const ENGINE = `#!/bin/bash
printf '%s\\n' "$@" >> "$0.words"
case "$1" in build|network|rm) exit 0;; esac
while [ "$1" != --entrypoint ]; do
  if [ "$1" = --env ]; then case "$2" in *=*) export "$2";; esac; fi
  shift
done
shift 3
exec "$@"
`;
const LXC = `#!/bin/bash
printf '%s\\n' "$*" >> "$0.words"
case "$1" in list) echo "$LXC_STATE"; exit 0;; config) exit 0;; esac
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;

const bin = mkdtempSync(join(tmpdir(), 'castor-engines-'));
afterAll(() => rmSync(bin, { recursive: true, force: true }));

/** A folder of the PATH with one engine in it. */
function engine(name: string, text: string): { folder: string; words: () => string } {
  const folder = mkdtempSync(join(bin, `${name}-`));
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return { folder, words: () => readFileSync(`${file}.words`, 'utf8') };
}

/** With a Node, as an image has one. */
const SYSTEM = `${dirname(process.execPath)}:/usr/bin:/bin`;

async function runWith(
  workspace: Workspace,
  env: Record<string, string>,
  args: readonly string[] = [],
  stdin?: string,
) {
  await using model = await fakeModel([call('run_shell_command', { command: 'echo in $SANDBOX' }), say('done')]);
  const result = await runCli(['-p', 'go', '-y', ...args], { model, workspace, env, ...(stdin && { stdin }) });
  return { ...result, requests: model.requests.map(({ body }) => JSON.stringify(body)) };
}

describe('a container', () => {
  it('holds the whole program: its answer, its input and its variables', async () => {
    const docker = engine('docker', ENGINE);
    await using workspace = await createWorkspace();
    const env = { GEMINI_SANDBOX: 'docker', PATH: `${docker.folder}:${SYSTEM}` };
    const result = await runWith(workspace, env, [], 'some data');
    expect([result.code, result.stdout]).toEqual([0, 'done\n']);
    expect(result.requests[0]).toContain('some data');
    expect(result.requests[1]).toMatch(/in castor-sandbox-[0-9a-f]{8}/);
    const words = docker.words();
    expect(words).toContain(`${workspace.project}:${workspace.project}:rw`);
    expect(words).toContain(`${join(workspace.home, '.gemini')}:${join(workspace.home, '.gemini')}:rw`);
    expect([words.includes('--env\nGEMINI_API_KEY\n'), words.includes(TEST_API_KEY)]).toEqual([true, false]);
  });

  it('is chosen by the settings of the user, whose image a project does not replace', { tags: 'wide' }, async () => {
    const podman = engine('podman', ENGINE);
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/settings.json': '{"tools":{"sandbox":{"enabled":true,"command":"podman","image":"mine"}}}',
      },
      files: { '.gemini/settings.json': '{"tools":{"sandbox":{"enabled":true,"image":"evil"}}}' },
    });
    const { code } = await runWith(workspace, { PATH: `${podman.folder}:${SYSTEM}` });
    expect(code).toBe(0);
    expect(podman.words()).toMatch(/\n--entrypoint\n\nmine\n/);
    expect(podman.words()).not.toContain('evil');
  });

  it('passes the exit code of the program inside on', async () => {
    const docker = engine('docker', ENGINE);
    await using workspace = await createWorkspace();
    const env = { GEMINI_SANDBOX: 'runsc', PATH: `${docker.folder}:${SYSTEM}` };
    const { code } = await runWith(workspace, env, ['--resume', 'no-such-session']);
    expect([code, docker.words().includes('--runtime=runsc')]).toEqual([42, true]);
  });

  it('shows the folder in a running container of lxc, and takes it away again', { tags: 'wide' }, async () => {
    const lxc = engine('lxc', LXC);
    await using workspace = await createWorkspace();
    const env = { GEMINI_SANDBOX: 'lxc', PATH: `${lxc.folder}:${SYSTEM}`, LXC_STATE: 'RUNNING' };
    const { code, stdout } = await runWith(workspace, env);
    expect([code, stdout]).toEqual([0, 'done\n']);
    const words = lxc.words();
    expect(words).toContain(`source=${workspace.project} path=${workspace.project}`);
    expect(words.match(/device add/g)?.length).toBe(words.match(/device remove/g)?.length);
    expect(words).not.toContain(TEST_API_KEY);
  });
});

describe('a container that does not start', () => {
  variants.each<[what: string, kind: string, engine: [string, string] | undefined, words: string]>([
    ['its program is missing', 'podman', undefined, 'podman is not installed'],
    ['its engine fails', 'docker', ['docker', '#!/bin/sh\necho "no daemon" >&2\nexit 125\n'], 'did not start'],
    ['its container does not run', 'lxc', ['lxc', LXC], 'lxc start gemini-sandbox'],
    ['it is unknown', 'qemu', undefined, '"qemu" is an unknown sandbox'],
    ['it is of Windows', 'windows-native', undefined, 'no sandbox of Windows'],
  ])('ends with 44, and nothing ran: %s', async (_, kind, program, words) => {
    const folder = program ? engine(...program).folder : bin;
    await using workspace = await createWorkspace();
    const env = { GEMINI_SANDBOX: kind, PATH: `${folder}:/nowhere` };
    const result = await runWith(workspace, env);
    expect([result.code, result.stdout, result.requests]).toEqual([44, '', []]);
    expect(result.stderr).toContain(words);
    expect(result.stderr).toContain('--no-sandbox');
  });
});

/** Some machines have both kinds of control groups, which podman refuses: it gets a view with one. */
const ONE_HIERARCHY = `umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup; exec /usr/bin/podman "$@"`;
const PODMAN = `#!/bin/sh\nexec unshare -m sh -c '${ONE_HIERARCHY}' podman "$@"\n`;
/** The files of this computer are the image: no registry is needed. */
const FLAGS = '--ulimit nofile=1000:1000 --ulimit nproc=500:500 --cgroups=disabled --network=host --rootfs';

async function reasonToSkipPodman(file: string): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux here';
  if (!existsSync('/usr/bin/podman')) return 'podman is not installed';
  const words = ['run', '--rm', '--init', ...FLAGS.split(' '), '/:O', '/bin/true'];
  return new Promise((resolve) => {
    execFile(file, words, { timeout: 60_000 }, (error) =>
      resolve(error ? `podman does not run: ${error.message}` : undefined),
    );
  });
}

const podman = engine('podman', PODMAN);
const why = await reasonToSkipPodman(join(podman.folder, 'podman'));

describe.skipIf(why !== undefined)(`podman${why === undefined ? '' : `: skipped, ${why}`}`, () => {
  it('runs the program inside: it writes the workspace, and nothing else of the computer', async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
    const outside = join(workspace.home, 'other/made');
    await using model = await fakeModel([
      call('run_shell_command', {
        command: `echo x > made; echo x > /usr/castor-was-here; echo x > ${outside}; hostname`,
      }),
      say('done'),
    ]);
    const env = {
      ...{ GEMINI_SANDBOX: 'podman', GEMINI_SANDBOX_IMAGE: '/:O', SANDBOX_FLAGS: FLAGS },
      PATH: `${podman.folder}:${process.env['PATH']}`,
      // Home and workspace are below the folder for temporary files, which is shared.
      TMPDIR: bin,
    };
    const result = await runCli(['-p', 'go', '-y'], { model, workspace, env });
    expect([result.code, result.stdout, result.stderr]).toEqual([0, 'done\n', expect.any(String)]);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('castor-sandbox-');
    expect(existsSync(join(workspace.project, 'made'))).toBe(true);
    expect([existsSync('/usr/castor-was-here'), existsSync(outside)]).toEqual([false, false]);
  });
});
