/** Escapes from a real sandbox, each tried for real: none works, and none leaves anything outside. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchPlanted } from './planted-files.ts';
import { kernelEscapes, tryAll } from './escape-attempts.fixture.ts';
import { baseOutsideTmp, openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';

const reason = await reasonToSkip();

describe.skipIf(reason !== undefined)(`files${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it('keeps a command from the files that start programs of the user', async () => {
    using box = await openTestSandbox({ homeFiles: { '.bashrc': 'mine\n' }, base: baseOutsideTmp() });
    const places = ['.bashrc', '.profile', '.config/autostart/a.desktop', '.local/bin/ls', '.crontab'];
    for (const place of places) {
      const { stderr } = await box.run(`mkdir -p "$(dirname "$HOME/${place}")"; echo evil >> "$HOME/${place}"`);
      expect(stderr).toMatch(/Read-only file system|No such file/);
    }
    const { code } = await box.run('echo x > /var/spool/cron/crontabs/x || echo x > /etc/cron.d/x');
    expect(code).not.toBe(0);
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(box.home, '.profile'))).toBe(false);
  });

  it('writes the workspace and its own /tmp, which is not that of the computer', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const first = await box.run('echo a > file && echo b > /tmp/castor-escape && cat file /tmp/castor-escape');
    expect(first).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    expect(existsSync('/tmp/castor-escape')).toBe(false);
    expect((await box.run('cat /tmp/castor-escape')).stdout).toBe('b\n');
  });

  it('leaves a link or a hard link of the workspace without a way out', { tags: 'wide' }, async () => {
    using box = await openTestSandbox({ homeFiles: { '.bashrc': 'mine\n' }, base: baseOutsideTmp() });
    symlinkSync(join(box.home, '.bashrc'), join(box.root, 'link'));
    const swapped = await box.run(
      `for i in $(seq 200); do ln -sfn "$HOME" d; echo evil >> d/.bashrc; rm -f d; done 2>&1 | sort -u; echo evil >> link; ln "$HOME/.bashrc" hard`,
    );
    expect(swapped.code).not.toBe(0);
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(box.root, 'hard'))).toBe(false);
  });

  it('finds no other root in /proc', async () => {
    using box = await openTestSandbox({ homeFiles: { '.ssh/id': 'KEY', '.bashrc': 'mine\n' }, base: baseOutsideTmp() });
    const { stdout } = await box.run(
      'for r in /proc/1/root /proc/self/root /proc/$$/root; do cat "$r$HOME/.ssh/id"; echo evil >> "$r$HOME/.bashrc"; done; for c in /proc/[0-9]*/cwd; do cat "$c/../home/.ssh/id"; done 2>/dev/null',
    );
    expect(stdout).toBe('');
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
  });

  it('hides the places of credentials', async () => {
    const homeFiles = { '.ssh/id_rsa': 'KEY', '.netrc': 'KEY', '.aws/credentials': 'KEY', '.gemini/oauth.json': 'KEY' };
    using box = await openTestSandbox({ homeFiles, base: baseOutsideTmp() });
    const { stdout, stderr } = await box.run(
      'cat ~/.ssh/id_rsa ~/.netrc ~/.aws/credentials ~/.gemini/oauth.json; ls ~/.ssh',
    );
    expect(stdout).toBe('');
    expect(stderr.match(/Permission denied/g)).toHaveLength(5);
    expect((await box.run('cat /etc/shadow')).stdout).toBe('');
  });

  it('shows the settings of a package manager without its credentials', async () => {
    const npmrc =
      'registry=https://npm.corp/\n//npm.corp/:_authToken=CANARY\n_auth = CANARY\nproxy=http://me:CANARY@p/\nfund=false\n';
    const homeFiles = { '.npmrc': npmrc, '.yarnrc.yml': 'nodeLinker: node-modules\nnpmAuthToken: "CANARY"\n' };
    using box = await openTestSandbox({ homeFiles, base: baseOutsideTmp() });
    const { stdout } = await box.run('cat ~/.npmrc ~/.yarnrc.yml; echo x >> ~/.npmrc');
    expect(stdout).toBe('registry=https://npm.corp/\nfund=false\nnodeLinker: node-modules\n');
    expect(readFileSync(join(box.home, '.npmrc'), 'utf8')).toBe(npmrc);
  });

  it('shows what it needs inside a hidden folder, and nothing beside it', async () => {
    const homeFiles = { '.gemini/tmp/p/bin/git': '#!/bin/sh\necho wrapped', '.gemini/oauth.json': 'KEY' };
    const needed: string[] = [];
    using box = await openTestSandbox({ homeFiles, base: baseOutsideTmp(), needed });
    needed.push(join(box.home, '.gemini/tmp/p/bin'));
    const { stdout } = await box.run('cat ~/.gemini/tmp/p/bin/git; ls ~/.gemini; cat ~/.gemini/oauth.json');
    expect(stdout).toBe('#!/bin/sh\necho wrapped');
  });

  it('is not widened by the folder a command runs in', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp(), homeFiles: { 'other/a': '' } });
    const directory = join(box.home, 'other');
    const { code, stderr } = await box.run('pwd; echo evil > b', { directory });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Read-only file system')]);
    expect(existsSync(join(directory, 'b'))).toBe(false);
  });

  it('can write nothing in the profile read-only but /tmp', async () => {
    using box = await openTestSandbox({ profile: 'read-only', files: { a: '1' } });
    const { code, stdout } = await box.run('cat a; echo x > /tmp/x && echo fine; echo evil > a');
    expect([code, stdout]).toEqual([1, '1fine\n']);
    expect(readFileSync(join(box.root, 'a'), 'utf8')).toBe('1');
  });

  it('hands no variable on that holds a secret, and every other one', async () => {
    using box = await openTestSandbox();
    const secrets = {
      ...{ GH_TOKEN: 'x', AWS_SECRET_ACCESS_KEY: 'x', MY_API_KEY: 'x', DB_PASSWORD: 'x', AZURE_TENANT: 'x' },
      ...{ DATABASE_URL: 'x', ANY: 'postgres://me:pass@db/x', NPM_TOKEN: 'x', STRIPE_PRIVATE: 'x' },
    };
    const harmless = {
      SSL_CERT_FILE: '/c',
      NODE_EXTRA_CA_CERTS: '/c',
      GIT_AUTHOR_NAME: 'Me',
      KEYBOARD: 'de',
      TOKENIZERS: '1',
    };
    const { stdout } = await box.run('env -0 | cut -z -d= -f1 | tr "\\0" "\\n"', {
      environment: { ...secrets, ...harmless },
    });
    const names = stdout.split('\n');
    expect(Object.keys(secrets).filter((name) => names.includes(name))).toEqual([]);
    expect(Object.keys(harmless).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('is unreachable for what a workspace planted: variables and programs', async () => {
    using box = await openTestSandbox();
    const { stdout } = await box.run('echo ${LD_PRELOAD-none} ${SSH_AUTH_SOCK-none} ${DOCKER_HOST-none} $SANDBOX', {
      environment: { LD_PRELOAD: '/x.so', SSH_AUTH_SOCK: '/s', DOCKER_HOST: 'unix:///d' },
    });
    expect(stdout).toBe('none none none bwrap\n');
  });
});

describe.skipIf(reason !== undefined)('protected files', () => {
  const REPOSITORY = { '.git/config': '[core]\n', '.git/hooks/a.sample': '', '.git/HEAD': 'ref: refs/heads/m\n' };
  const ATTEMPTS: [what: string, line: string][] = [
    ['a new hook', 'echo evil > .git/hooks/pre-commit'],
    ['the settings of git', 'echo evil >> .git/config'],
    ['a renamed folder of git', 'mv .git g2'],
    ['a renamed folder of hooks', 'mv .git/hooks .git/h2'],
    ['a removed folder of hooks', 'rm -rf .git/hooks'],
    ['a swap of the settings', 'echo evil > c && mv c .git/config'],
    ['an include', 'git config include.path /tmp/x'],
    ['another folder of hooks', 'git config core.hooksPath /tmp/x'],
    ['the settings of Castor', 'echo evil > .gemini/settings.json'],
    ['the folder of Castor', 'mv .gemini g3'],
    ['the instructions', 'echo evil >> AGENTS.md'],
    ['a workflow', 'echo evil > .github/workflows/a.yml'],
    ['the folder above workflows', 'mv .github gh2'],
    ['a hook of a repository inside', 'echo evil > sub/deep/.git/hooks/pre-commit'],
    ['the folder above a repository inside', 'mv sub s2'],
  ];
  it.each(ATTEMPTS)('keeps %s out', async (_, line) => {
    const files = {
      ...REPOSITORY,
      '.gemini/settings.json': '{}',
      'AGENTS.md': 'mine',
      '.github/workflows/ci.yml': 'mine',
      'sub/deep/.git/config': '[core]\n',
      'sub/deep/.git/hooks/a.sample': '',
    };
    using box = await openTestSandbox({ files });
    const { code, stdout } = await box.run(`${line} 2>/dev/null`);
    expect([line, code === 0, stdout]).toEqual([line, false, '']);
    const found = Object.keys(files).map((path) => readFileSync(join(box.root, path), 'utf8'));
    expect(found).toEqual(Object.values(files));
    expect(existsSync(join(box.root, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(box.root, 'sub/deep/.git/hooks/pre-commit'))).toBe(false);
  });

  it('are also what shells and desktops load, where the workspace contains the home folder', async () => {
    const homeFiles = {
      '.bashrc': 'mine',
      '.ssh/id': 'KEY',
      '.gemini/settings.json': '{}',
      '.config/gh/hosts.yml': 'KEY',
    };
    using box = await openTestSandbox({
      homeFiles: { ...homeFiles, '.config/autostart/a': 'mine' },
      base: baseOutsideTmp(),
      rootIsHome: true,
    });
    const takePlanted = watchPlanted(box.sandbox, [box.root]);
    const { stdout } = await box.run(
      'cat .ssh/id .config/gh/hosts.yml .gemini/settings.json; for f in .bashrc .gitconfig .profile .config/autostart/a; do echo evil >> $f; done; mv .config c2; echo fine > made; cat made',
    );
    expect(stdout).toBe('fine\n');
    expect(takePlanted().map(({ path }) => path.slice(box.root.length + 1))).toEqual(['.profile', '.gitconfig']);
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine');
    expect(readFileSync(join(box.home, '.config/autostart/a'), 'utf8')).toBe('mine');
  });

  it('leaves no stub where a protected file is absent', async () => {
    using box = await openTestSandbox();
    await box.run('git init -q . && git status --porcelain');
    const { stdout } = await box.run('git status --porcelain; ls -A');
    expect(stdout).toBe('.git\n');
  });
});

describe.skipIf(reason !== undefined)('processes and the kernel', () => {
  it('gives a command no descriptor but its own three', async () => {
    using box = await openTestSandbox();
    const { stdout } = await box.run('ls /proc/self/fd | sort -n | tr "\\n" " "');
    expect(stdout).toBe('0 1 2 3 ');
  });

  it('shows no environment and no process of the computer', async () => {
    process.env['CASTOR_TEST_CANARY'] = 'canary-1234567890';
    try {
      using box = await openTestSandbox();
      const { stdout } = await box.run(
        'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c canary; ls -d /proc/[0-9]* | wc -l',
      );
      const [found, processes] = stdout.trim().split('\n');
      expect(found).toBe('0');
      expect(Number(processes)).toBeLessThan(8);
      expect((await box.run(`kill -0 ${process.pid}`)).code).not.toBe(0);
    } finally {
      delete process.env['CASTOR_TEST_CANARY'];
    }
  });

  it('denies every way out', async () => {
    using box = await openTestSandbox({ homeFiles: { '.bashrc': 'mine\n' }, base: baseOutsideTmp() });
    const { stdout } = await box.run(`${tryAll(kernelEscapes(process.pid))}\necho done`);
    expect(stdout).toBe('done\n');
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('mine\n');
  });

  it.skipIf(process.arch !== 'x64')('denies each call of the filter, and gives the right error', async () => {
    using box = await openTestSandbox();
    const calls = { keyctl: 250, bpf: 321, perf: 298, userfaultfd: 323, handle: 304, move_mount: 429, open_tree: 428 };
    const script = Object.entries({ ...calls, io_uring: 425, clone3: 435 })
      .map(([name, number]) => `$! = 0; $r = syscall(${number}, 0, 0, 0, 0, 0); print "${name} $r ", $!+0, "\\n";`)
      .join(' ');
    const { stdout } = await box.run(`perl -e '${script}'`);
    const expected = Object.keys(calls).map((name) => `${name} -1 1`);
    expect(stdout.trim().split('\n')).toEqual([...expected, 'io_uring -1 38', 'clone3 -1 38']);
    const x32 = await box.run(`perl -e '$r = syscall(0x40000000 + 39); print "$r ", $!+0'`);
    expect(x32.stdout).toBe('-1 38');
    const typed = await box.run(`perl -e '$c = "x"; ioctl(STDIN, 0x5412, $c) or print $!+0'`);
    expect(typed.stdout).toBe('1');
    const linux = await box.run(`perl -e '$c = "\\x02"; ioctl(STDIN, 0x541c, $c) or print $!+0'`);
    expect(linux.stdout).toBe('1');
    const vsock = await box.run(`perl -e 'socket($s, 40, 1, 0) or print $!+0'`);
    expect(vsock.stdout).toBe('97');
  });

  it('passes exit codes and signals on', async () => {
    using box = await openTestSandbox();
    expect([(await box.run('exit 3')).code, (await box.run('kill -9 $$')).code]).toEqual([3, 137]);
  });

  it('makes no setuid program of a file', async () => {
    using box = await openTestSandbox();
    const { stdout } = await box.run('grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status');
    expect(stdout.replace(/\s+/g, ' ')).toBe('NoNewPrivs: 1 CapEff: 0000000000000000 ');
  });
});

describe.skipIf(reason !== undefined)('sockets', () => {
  it('reaches neither the network of the computer nor its sockets', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    mkdirSync(join(box.home, '.agent'));
    const path = join(box.home, '.agent/socket');
    const abstract = `\0castor-test-${process.pid}`;
    const servers = [createServer(), createServer(), createServer()];
    const [tcp, unix, hidden] = servers as [
      ReturnType<typeof createServer>,
      (typeof servers)[0] & object,
      (typeof servers)[0] & object,
    ];
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => unix.listen(path, resolve));
    await new Promise<void>((resolve) => hidden.listen(abstract, resolve));
    try {
      const { port } = tcp.address() as { port: number };
      box.sandbox.refresh();
      const { stdout } = await box.run(
        `(echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo tcp; perl -MSocket -e 'socket($s, AF_UNIX, SOCK_STREAM, 0); print "unix\\n" if connect($s, pack_sockaddr_un("${path}")); socket($s, AF_UNIX, SOCK_STREAM, 0); print "abstract\\n" if connect($s, pack_sockaddr_un("\\0castor-test-${process.pid}"))'; ls /run | wc -l`,
      );
      expect(stdout).toBe('0\n');
    } finally {
      for (const server of servers) server.close();
    }
  });

  it('reaches no agent, engine or screen of the user: by path or by name', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const homes = [
      '.docker/run/docker.sock',
      '.gnupg/S.gpg-agent',
      '.ssh/agent/s.1',
      '.cache/keyring/ssh',
      '.podman/podman.sock',
    ];
    const folder = mkdtempSync(join(tmpdir(), 'castor-x11-'));
    const paths = [...homes.map((path) => join(box.home, path)), join(folder, 'X0'), join(folder, 'wayland-0')];
    const names = ['/tmp/.X11-unix/X', '/tmp/dbus-'].map((name) => `${name}castor${process.pid}`);
    for (const path of paths) mkdirSync(dirname(path), { recursive: true });
    const servers = [...paths, ...names.map((name) => `\0${name}`)].map((path) => createServer().listen(path));
    try {
      await Promise.all(servers.map((server) => once(server, 'listening')));
      // As those of a program that has been running for a while.
      for (const path of paths) utimesSync(path, 1, 1);
      box.sandbox.refresh();
      const places = [...paths, ...names.map((name) => `\\0${name}`)].map((place) => `"${place}"`).join(', ');
      const { stdout } = await box.run(
        `perl -MSocket -e 'for (${places}) { socket($s, AF_UNIX, SOCK_STREAM, 0); print "reached $_\n" if connect($s, pack_sockaddr_un($_)) }'; echo tried`,
      );
      expect(stdout).toBe('tried\n');
    } finally {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('reaches no socket of a program outside, wherever it is, and no pipe of the home folder', async () => {
    using box = await openTestSandbox({ base: baseOutsideTmp() });
    const folder = mkdtempSync(join(baseOutsideTmp(), 'castor-engine-'));
    mkdirSync(join(box.home, 'deep/er/still'), { recursive: true });
    const paths = [join(folder, 'engine.sock'), join(box.root, 'daemon.sock'), join(box.home, 'deep/er/still/s')];
    const servers = paths.map((path) => createServer().listen(path));
    execFileSync('mkfifo', [join(box.home, 'pipe')]);
    try {
      await Promise.all(servers.map((server) => once(server, 'listening')));
      // As those of a program that has been running for a while.
      for (const path of paths) utimesSync(path, 1, 1);
      box.sandbox.refresh();
      const places = paths.map((place) => `"${place}"`).join(', ');
      const line = `perl -MSocket -MFcntl -e 'for (${places}) { socket($s, AF_UNIX, SOCK_STREAM, 0); print "reached $_\n" if connect($s, pack_sockaddr_un($_)) } print "pipe\n" if sysopen($f, "${box.home}/pipe", O_RDWR)'; echo tried`;
      expect((await box.run(line)).stdout).toBe('tried\n');
      // A server that has ended leaves nothing to hide, and no command fails for it.
      for (const server of servers) server.close();
      await Promise.all(servers.map((server) => once(server, 'close')));
      rmSync(join(box.home, 'pipe'));
      expect((await box.run('echo fine; ls')).stdout).toBe('fine\n');
    } finally {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has no hard link to a file that it may not write', async () => {
    using box = await openTestSandbox({ homeFiles: { a: 'mine' }, base: baseOutsideTmp() });
    // A link that the user made is the user's decision; the sandbox makes none.
    linkSync(join(box.home, 'a'), join(box.root, 'own'));
    expect((await box.run('ln "$HOME/a" b')).code).not.toBe(0);
  });
});
