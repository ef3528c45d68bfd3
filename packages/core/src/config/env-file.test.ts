import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dangerOf } from './dangerous-variables.ts';
import { readEnvFile } from './env-file.ts';
import type { EnvFileOptions } from './env-file.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'castor-env-')));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function read(options: Partial<EnvFileOptions> = {}) {
  mkdirSync(join(root, 'home/work/project'), { recursive: true });
  const { path, ...rest } = readEnvFile({
    cwd: join(root, 'home/work/project'),
    home: join(root, 'home'),
    isTrusted: true,
    environment: {},
    ...options,
  });
  return { ...rest, path: path?.slice(root.length + 1) };
}

const PLACES = [
  'home/work/project/.gemini/.env',
  'home/work/project/.env',
  'home/work/.gemini/.env',
  'home/work/.env',
  'home/.gemini/.env',
  'home/.env',
  '.env',
];

describe('which file is read', () => {
  it('is the first one on the way up, and only that', () => {
    const found: (string | undefined)[] = [];
    for (const place of PLACES) write(place, `FROM=${place}`);
    for (const place of PLACES) {
      const { path, variables } = read();
      expect(variables).toEqual({ FROM: path });
      found.push(path);
      rmSync(join(root, place));
    }
    expect([found, read().path]).toEqual([PLACES, undefined]);
  });

  it("is the user's own when there is none above the folder", () => {
    write('home/.env', 'A=1');
    mkdirSync(join(root, 'elsewhere'));
    const cwd = join(root, 'elsewhere');
    expect(read({ cwd }).path).toBe('home/.env');
    write('home/.gemini/.env', 'A=2');
    expect([read({ cwd }).path, read({ cwd, isTrusted: false }).path]).toEqual([
      'home/.gemini/.env',
      'home/.gemini/.env',
    ]);
  });

  it('is not a folder’s own when the folder is not trusted', () => {
    write('home/work/project/.gemini/.env', 'GEMINI_API_KEY=evil');
    write('home/work/project/.env', 'GEMINI_API_KEY=a');
    expect(read({ isTrusted: false }).path).toBe('home/work/project/.env');
  });

  it('is none outside .gemini and the home folder when local files are ignored', () => {
    write('home/work/project/.env', 'A=1');
    write('home/.env', 'A=2');
    expect(read({ ignoreLocal: true }).path).toBe('home/.env');
    write('home/work/.gemini/.env', 'A=3');
    expect(read({ ignoreLocal: true }).path).toBe('home/work/.gemini/.env');
  });

  it("names the user's own file when it is not read", () => {
    write('home/work/project/.env', 'A=1');
    write('home/.gemini/.env', 'GEMINI_API_KEY=x');
    expect(read().shadowed).toBe(join(root, 'home/.gemini/.env'));
  });

  it('is no folder, and none that is huge', () => {
    mkdirSync(join(root, 'home/work/project/.env'), { recursive: true });
    write('home/work/.env', 'A=1\n'.repeat(300_000));
    write('home/.env', 'A=2');
    expect(read()).toMatchObject({
      path: 'home/.env',
      warnings: [`${join(root, 'home/work/.env')} was ignored: it is larger than 1 MB.`],
    });
  });
});

describe('what is taken from it', () => {
  it('is what is not there yet, with quotes, comments and exports read', () => {
    write('home/work/project/.env', '\ufeffA="x y" # no\nexport B=\'$A\'\nC=\n# D=1\nE=5\nbad line\n1X=3\n');
    expect(read({ environment: { E: '' } })).toEqual({
      path: 'home/work/project/.env',
      owner: 'project',
      variables: { A: 'x y', B: '$A', C: '' },
      skipped: [{ name: 'E', reason: 'it is set in the environment' }],
      warnings: [],
    });
  });

  it('is not what advanced.excludedEnvVars names, outside a .gemini folder', () => {
    write('home/work/project/.env', 'DEBUG=1\nA=1');
    const outside = read({ excludedNames: ['DEBUG'] });
    write('home/work/project/.gemini/.env', 'DEBUG=1\nA=1');
    const inside = read({ excludedNames: ['DEBUG'] });
    expect([outside.variables, inside.variables]).toEqual([{ A: '1' }, { DEBUG: '1', A: '1' }]);
  });

  it('is four names with harmless characters where the folder is not trusted', () => {
    write(
      'home/work/project/.env',
      'GEMINI_API_KEY="a;$(b)"\nGOOGLE_API_KEY=k\nGOOGLE_CLOUD_PROJECT=p/q.r_s-t\nGOOGLE_CLOUD_LOCATION=l\nGEMINI_MODEL=m\nPATH=/x\n',
    );
    expect(read({ isTrusted: false })).toEqual({
      path: 'home/work/project/.env',
      owner: 'project',
      variables: {
        GEMINI_API_KEY: 'ab',
        GOOGLE_API_KEY: 'k',
        GOOGLE_CLOUD_PROJECT: 'p/q.r_s-t',
        GOOGLE_CLOUD_LOCATION: 'l',
      },
      skipped: [
        { name: 'GEMINI_MODEL', reason: 'the folder is not trusted' },
        { name: 'PATH', reason: 'it decides which programs run' },
      ],
      warnings: [],
    });
  });

  const DANGEROUS = [
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'NODE_PATH',
    'NODE_EXTRA_CA_CERTS',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'GIT_EXEC_PATH',
    'GIT_SSH_COMMAND',
    'GIT_DIR',
    'BASH_ENV',
    'ENV',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'PERL5LIB',
    'PERL5OPT',
    'RUBYOPT',
    'RUBYLIB',
    'JAVA_TOOL_OPTIONS',
    'PATH',
    'Path',
    'HOME',
    'USERPROFILE',
    'XDG_CONFIG_HOME',
    'TMPDIR',
    'SHELL',
    'EDITOR',
    'VISUAL',
    'PAGER',
    'GIT_PAGER',
    'SSH_AUTH_SOCK',
    'GEMINI_CLI_HOME',
    'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
    'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
    'GEMINI_CLI_TRUST_WORKSPACE',
    'GEMINI_CLI_CUSTOM_HEADERS',
    'CASTOR_OFFLINE',
    'CASTOR_STREAM_IDLE_TIMEOUT_MS',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_VERTEX_BASE_URL',
    'CODE_ASSIST_ENDPOINT',
    'HTTPS_PROXY',
    'https_proxy',
    'HTTP_PROXY',
    'all_proxy',
    'no_proxy',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'GEMINI_SYSTEM_MD',
    'GEMINI_SANDBOX',
    'GEMINI_SANDBOX_IMAGE',
    'GEMINI_TELEMETRY_OUTFILE',
    'GEMINI_TELEMETRY_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'npm_config_script_shell',
    'CI',
    'NO_COLOR',
    'SANDBOX_FLAGS',
  ];

  it.each([true, false])('is none of the dangerous names, in a folder trusted: %s', (isTrusted) => {
    write('home/work/project/.env', DANGEROUS.map((name) => `${name}=evil`).join('\n'));
    const { variables, skipped } = read({ isTrusted });
    expect(variables).toEqual({});
    expect(skipped.map(({ name }) => name).toSorted()).toEqual(DANGEROUS.toSorted());
  });

  it('is all of them from the file in the user’s own .gemini, and none from the home folder’s .env', () => {
    write('home/.gemini/.env', 'HTTPS_PROXY=http://mine\nA=1');
    const own = read({ isTrusted: false });
    rmSync(join(root, 'home/.gemini/.env'));
    write('home/.env', 'HTTPS_PROXY=http://mine\nA=1');
    expect([own.variables, read({ isTrusted: false }).variables]).toEqual([
      { HTTPS_PROXY: 'http://mine', A: '1' },
      { A: '1' },
    ]);
  });

  it('warns once, with all names, where the folder is trusted', () => {
    write('home/work/project/.env', 'PATH=x\nNODE_OPTIONS=y\nA=1\n');
    expect(read().warnings).toEqual([
      `${join(root, 'home/work/project/.env')}: NODE_OPTIONS, PATH were ignored: a project's file may not set them. Set such variables in your shell or in ${join(root, 'home/.gemini/.env')}.`,
    ]);
  });

  it('leaves ordinary names of projects alone', () => {
    const names = [
      'NODE_ENV',
      'DATABASE_URL',
      'API_KEY',
      'GEMINI_MODEL',
      'GEMINI_API_KEY',
      'PORT',
      'AWS_REGION',
      'GITHUB_TOKEN',
      'ENVIRONMENT',
      'PATHS',
    ];
    expect(names.filter((name) => dangerOf(name) !== undefined)).toEqual([]);
  });
});
